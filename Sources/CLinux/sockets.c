#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "CLinux.h"

union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t to_system(const struct linux_address *from, union any_address *to) {
    if (from->family == 4) {
        memset(&to->v4, 0, sizeof to->v4);
        to->v4.sin_family = AF_INET;
        to->v4.sin_port = htons(from->port);
        memcpy(&to->v4.sin_addr, from->words, 4);
        return sizeof to->v4;
    }
    memset(&to->v6, 0, sizeof to->v6);
    to->v6.sin6_family = AF_INET6;
    to->v6.sin6_port = htons(from->port);
    memcpy(&to->v6.sin6_addr, from->words, 16);
    to->v6.sin6_scope_id = from->scope;
    return sizeof to->v6;
}

static void from_system(const union any_address *from, struct linux_address *to) {
    memset(to, 0, sizeof *to);
    if (from->any.sa_family == AF_INET) {
        to->family = 4;
        to->port = ntohs(from->v4.sin_port);
        memcpy(to->words, &from->v4.sin_addr, 4);
    } else if (from->any.sa_family == AF_INET6) {
        to->family = 6;
        to->port = ntohs(from->v6.sin6_port);
        memcpy(to->words, &from->v6.sin6_addr, 16);
        to->scope = from->v6.sin6_scope_id;
    }
}

static int fail(int fd) {
    int error = errno;
    close(fd);
    return -error;
}

static void set_flag(int fd, int level, int option) {
    int on = 1;
    setsockopt(fd, level, option, &on, sizeof on);
}

static int open_socket(const struct linux_address *address, int type) {
    int family = address->family == 4 ? AF_INET : AF_INET6;
    int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    if (family == AF_INET6) set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY);
    return fd;
}

int linux_udp_bind(const struct linux_address *address, int reuse_port, int only_probe) {
    int fd = open_socket(address, SOCK_DGRAM);
    if (fd < 0) return fd;
    if (reuse_port) set_flag(fd, SOL_SOCKET, SO_REUSEPORT);
    if (!only_probe) {
        if (address->family == 4) {
            set_flag(fd, IPPROTO_IP, IP_PKTINFO);
            int never = IP_PMTUDISC_OMIT;  // no fragments by forged ICMP (RFC 9715)
            setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &never, sizeof never);
        } else {
            set_flag(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO);
        }
        int size = 1 << 20;  // a burst of some thousand queries waits rather than is lost
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    }
    union any_address system;
    socklen_t size = to_system(address, &system);
    if (bind(fd, &system.any, size) < 0) return fail(fd);
    return fd;
}

int linux_udp_connect(const struct linux_address *address, uint16_t local_port) {
    int fd = open_socket(address, SOCK_DGRAM);
    if (fd < 0) return fd;
    union any_address local, remote;
    struct linux_address any = {.family = address->family, .port = local_port};
    socklen_t size = to_system(&any, &local);
    if (bind(fd, &local.any, size) < 0) return fail(fd);
    size = to_system(address, &remote);
    if (connect(fd, &remote.any, size) < 0) return fail(fd);
    return fd;
}

int linux_tcp_listen(const struct linux_address *address, int reuse_port, int only_probe) {
    int fd = open_socket(address, SOCK_STREAM);
    if (fd < 0) return fd;
    set_flag(fd, SOL_SOCKET, SO_REUSEADDR);
    if (reuse_port) set_flag(fd, SOL_SOCKET, SO_REUSEPORT);
    union any_address system;
    socklen_t size = to_system(address, &system);
    if (bind(fd, &system.any, size) < 0) return fail(fd);
    if (!only_probe && listen(fd, 256) < 0) return fail(fd);
    return fd;
}

int linux_tcp_connect(const struct linux_address *address) {
    int fd = open_socket(address, SOCK_STREAM);
    if (fd < 0) return fd;
    set_flag(fd, IPPROTO_TCP, TCP_NODELAY);
    union any_address remote;
    socklen_t size = to_system(address, &remote);
    if (connect(fd, &remote.any, size) < 0 && errno != EINPROGRESS) return fail(fd);
    return fd;
}

int linux_accept(int fd, struct linux_address *remote) {
    union any_address address;
    socklen_t size = sizeof address;
    int client = accept4(fd, &address.any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) return -errno;
    set_flag(client, IPPROTO_TCP, TCP_NODELAY);
    from_system(&address, remote);
    return client;
}

int linux_local_address(int fd, struct linux_address *address) {
    union any_address system;
    socklen_t size = sizeof system;
    if (getsockname(fd, &system.any, &size) < 0) return -errno;
    from_system(&system, address);
    return 0;
}

int linux_socket_error(int fd) {
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0) return -errno;
    return -error;
}

int64_t linux_receive(int fd, void *buffer, size_t size) {
    ssize_t got = recv(fd, buffer, size, 0);
    return got < 0 ? -errno : got;
}

int64_t linux_send(int fd, const void *buffer, size_t size) {
    ssize_t sent = send(fd, buffer, size, MSG_NOSIGNAL);
    return sent < 0 ? -errno : sent;
}

static int unix_address(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) return -ENAMETOOLONG;
    strcpy(address->sun_path, path);
    return 0;
}

int linux_unix_listen(const char *path, uint32_t mode) {
    struct sockaddr_un address;
    int error = unix_address(path, &address);
    if (error < 0) return error;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) return fail(fd);
    if (chmod(path, (mode_t)mode) < 0) return fail(fd);
    if (listen(fd, 16) < 0) return fail(fd);
    return fd;
}

int linux_unix_connect(const char *path) {
    struct sockaddr_un address;
    int error = unix_address(path, &address);
    if (error < 0) return error;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) return fail(fd);
    return fd;
}

int linux_unix_accept(int fd) {
    int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return client < 0 ? -errno : client;
}

uint32_t linux_interface_index(const char *name) { return if_nametoindex(name); }

int linux_set_timeout(int fd, int milliseconds) {
    struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) < 0) return -errno;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) < 0) return -errno;
    return 0;
}

int linux_epoll_create(void) {
    int fd = epoll_create1(EPOLL_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int control(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, operation, fd, &event) < 0 ? -errno : 0;
}

int linux_epoll_add(int epoll, int fd, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_ADD, fd, events, token);
}

int linux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_MOD, fd, events, token);
}

int linux_epoll_remove(int epoll, int fd) { return control(epoll, EPOLL_CTL_DEL, fd, 0, 0); }

int linux_epoll_wait(int epoll, struct linux_event *events, int count, int timeout_milliseconds) {
    struct epoll_event ready[64];
    int got = epoll_wait(epoll, ready, count < 64 ? count : 64, timeout_milliseconds);
    if (got < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < got; i++)
        events[i] = (struct linux_event){ready[i].events, ready[i].data.u64};
    return got;
}

int linux_eventfd_create(void) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int linux_eventfd_signal(int fd) {
    uint64_t one = 1;
    return write(fd, &one, sizeof one) < 0 ? -errno : 0;
}

int linux_eventfd_clear(int fd) {
    uint64_t count;
    return read(fd, &count, sizeof count) < 0 && errno != EAGAIN ? -errno : 0;
}

// What a datagram needs beside its octets.
struct envelope {
    union any_address address;
    // Room for one pktinfo of either family.
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct in6_pktinfo))];
};

struct linux_receive_batch {
    unsigned count;
    unsigned datagram_size;
    struct mmsghdr *headers;
    struct iovec *vectors;
    struct envelope *envelopes;
    uint8_t *octets;
};

struct linux_receive_batch *linux_receive_batch_create(unsigned count, unsigned datagram_size) {
    struct linux_receive_batch *batch = calloc(1, sizeof *batch);
    if (!batch) return NULL;
    *batch = (struct linux_receive_batch){
        count, datagram_size, calloc(count, sizeof *batch->headers),
        calloc(count, sizeof *batch->vectors), calloc(count, sizeof *batch->envelopes),
        malloc((size_t)count * datagram_size)};
    if (!batch->headers || !batch->vectors || !batch->envelopes || !batch->octets) {
        linux_receive_batch_free(batch);
        return NULL;
    }
    for (unsigned i = 0; i < count; i++) {
        batch->vectors[i] =
            (struct iovec){batch->octets + (size_t)i * datagram_size, datagram_size};
        struct msghdr *header = &batch->headers[i].msg_hdr;
        header->msg_name = &batch->envelopes[i].address;
        header->msg_iov = &batch->vectors[i];
        header->msg_iovlen = 1;
        header->msg_control = batch->envelopes[i].control;
    }
    return batch;
}

void linux_receive_batch_free(struct linux_receive_batch *batch) {
    free(batch->headers);
    free(batch->vectors);
    free(batch->envelopes);
    free(batch->octets);
    free(batch);
}

size_t linux_receive_batch_held(const struct linux_receive_batch *batch) {
    return batch->count * (sizeof *batch->headers + sizeof *batch->vectors +
                           sizeof *batch->envelopes + batch->datagram_size);
}

int linux_receive_batch_fill(struct linux_receive_batch *batch, int fd) {
    for (unsigned i = 0; i < batch->count; i++) {
        batch->headers[i].msg_hdr.msg_namelen = sizeof batch->envelopes[i].address;
        batch->headers[i].msg_hdr.msg_controllen = sizeof batch->envelopes[i].control;
    }
    int got = recvmmsg(fd, batch->headers, batch->count, MSG_DONTWAIT, NULL);
    return got < 0 ? -errno : got;
}

const uint8_t *linux_receive_batch_octets(const struct linux_receive_batch *batch, unsigned index,
                                          size_t *size) {
    *size = batch->headers[index].msg_len;
    return batch->octets + (size_t)index * batch->datagram_size;
}

void linux_receive_batch_peer(const struct linux_receive_batch *batch, unsigned index,
                              struct linux_peer *peer) {
    struct msghdr *header = &batch->headers[index].msg_hdr;
    from_system(&batch->envelopes[index].address, &peer->remote);
    memset(&peer->local, 0, sizeof peer->local);
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
        if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(part), sizeof info);
            peer->local.family = 4;
            peer->local.scope = (uint32_t)info.ipi_ifindex;
            memcpy(peer->local.words, &info.ipi_spec_dst, 4);
        } else if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
            struct in6_pktinfo info;
            memcpy(&info, CMSG_DATA(part), sizeof info);
            peer->local.family = 6;
            peer->local.scope = info.ipi6_ifindex;
            memcpy(peer->local.words, &info.ipi6_addr, 16);
        }
    }
}

struct linux_send_batch {
    unsigned count;
    struct mmsghdr *headers;
    struct iovec *vectors;
    struct envelope *envelopes;
};

struct linux_send_batch *linux_send_batch_create(unsigned count) {
    struct linux_send_batch *batch = calloc(1, sizeof *batch);
    if (!batch) return NULL;
    *batch = (struct linux_send_batch){count, calloc(count, sizeof *batch->headers),
                                       calloc(count, sizeof *batch->vectors),
                                       calloc(count, sizeof *batch->envelopes)};
    if (!batch->headers || !batch->vectors || !batch->envelopes) {
        linux_send_batch_free(batch);
        return NULL;
    }
    return batch;
}

void linux_send_batch_free(struct linux_send_batch *batch) {
    free(batch->headers);
    free(batch->vectors);
    free(batch->envelopes);
    free(batch);
}

size_t linux_send_batch_held(const struct linux_send_batch *batch) {
    return batch->count * (sizeof *batch->headers + sizeof *batch->vectors +
                           sizeof *batch->envelopes);
}

void linux_send_batch_set(struct linux_send_batch *batch, unsigned index, const uint8_t *octets,
                          size_t size, const struct linux_peer *peer) {
    struct msghdr *header = &batch->headers[index].msg_hdr;
    struct envelope *envelope = &batch->envelopes[index];
    batch->vectors[index] = (struct iovec){(void *)octets, size};
    header->msg_name = &envelope->address;
    header->msg_namelen = to_system(&peer->remote, &envelope->address);
    header->msg_iov = &batch->vectors[index];
    header->msg_iovlen = 1;
    header->msg_control = NULL;
    header->msg_controllen = 0;
    if (peer->local.family == 0) return;
    // The reply leaves from the address that was asked (RFC 2181 section 4.1).
    struct cmsghdr *part = (struct cmsghdr *)envelope->control;
    header->msg_control = envelope->control;
    if (peer->local.family == 4) {
        struct in_pktinfo info = {0};
        memcpy(&info.ipi_spec_dst, peer->local.words, 4);
        part->cmsg_level = IPPROTO_IP;
        part->cmsg_type = IP_PKTINFO;
        part->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(part), &info, sizeof info);
        header->msg_controllen = CMSG_SPACE(sizeof info);
    } else {
        struct in6_pktinfo info = {0};
        memcpy(&info.ipi6_addr, peer->local.words, 16);
        info.ipi6_ifindex = peer->local.scope;
        part->cmsg_level = IPPROTO_IPV6;
        part->cmsg_type = IPV6_PKTINFO;
        part->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(part), &info, sizeof info);
        header->msg_controllen = CMSG_SPACE(sizeof info);
    }
}

int linux_send_batch_flush(struct linux_send_batch *batch, int fd, unsigned first,
                           unsigned count) {
    int sent = sendmmsg(fd, batch->headers + first, count - first, MSG_DONTWAIT);
    return sent < 0 ? -errno : sent;
}
