// The system calls that Sluice needs, behind plain integers and opaque pointers.
//
// This header includes no system header but <stdint.h> and <stddef.h>: the implementation needs
// _GNU_SOURCE, whose declarations differ from those of Swift's Glibc module. Unless said
// otherwise a function returns a value >= 0, or the negative errno.
#ifndef SLUICE_CLINUX_H
#define SLUICE_CLINUX_H
#include <stddef.h>
#include <stdint.h>

// An IP address with port. words hold the 4 or 16 octets as they stand on the wire; family is 4 or
// 6 (0: none); scope is the interface index.
struct linux_address {
    uint64_t words[2];
    uint32_t scope;
    uint16_t port;
    uint8_t family;
};

// Who sent a datagram, and to which of our addresses it came (family 0: not known).
struct linux_peer {
    struct linux_address remote;
    struct linux_address local;
};

// Files
enum { LINUX_READ = 0, LINUX_WRITE_NEW = 1, LINUX_WRITE_TRUNCATE = 2, LINUX_APPEND = 3,
       LINUX_DIRECTORY = 4, LINUX_READ_WRITE = 5, LINUX_READ_WRITE_NEW = 6 };
int linux_open(const char *path, int how, uint32_t mode);
int linux_close(int fd);
// Locks a whole file for this process: 0 when done, else the number of the process that holds it.
int linux_lock(int fd);
int64_t linux_read(int fd, void *buffer, size_t size);
int64_t linux_write(int fd, const void *buffer, size_t size);
int64_t linux_read_at(int fd, void *buffer, size_t size, int64_t offset);
int64_t linux_write_at(int fd, const void *buffer, size_t size, int64_t offset);
int64_t linux_position(int fd);
int64_t linux_seek_start(int fd, int64_t offset);
int linux_fsync(int fd);
// A new file without a name in a directory, to read and write; gone when it is closed.
int linux_open_unnamed(const char *directory, uint32_t mode);
// Gives such a file a name, which must be free.
int linux_name_unnamed(int fd, const char *path);
// Freed blocks of 256 KiB and more go back to the system at once, whatever was freed before.
void linux_return_large_blocks(void);
int linux_rename(const char *from, const char *to);
int linux_unlink(const char *path);
int linux_make_directory(const char *path, uint32_t mode);
int linux_symlink(const char *target, const char *path);
int64_t linux_readlink(const char *path, char *buffer, size_t size);
int linux_change_mode(const char *path, uint32_t mode);
int64_t linux_file_size(int fd);
// When the file that path names was last written, in nanoseconds since 1970.
int64_t linux_file_modified(const char *path);
// Makes now the time when the file was last written.
int linux_touch(const char *path);
// 1 regular file, 2 directory, 3 socket, 0 other
int linux_file_kind(const char *path);
// Calls visit for each name of a directory until it returns 0.
int linux_list_directory(const char *path, void *context,
                         int (*visit)(void *context, const char *name));

// Mapped files
enum { LINUX_GUARD_LIMIT = 1024 };
// Maps a file read-only; *slot stands for the mapping in the calls below. NULL on failure, then
// *error is the errno: ENFILE when LINUX_GUARD_LIMIT files are mapped already.
const void *linux_map(int fd, size_t size, int *slot, int *error);
void linux_unmap(const void *address, size_t size, int slot);
// From now on a page of a mapped file that cannot be read (SIGBUS: the file was cut, the disk
// failed) does not end the process: the whole mapping becomes zeros, linux_is_damaged says so,
// and the eventfd is signalled.
int linux_survive_lost_pages(int eventfd);
int linux_is_damaged(int slot);
enum { LINUX_RANDOM = 0, LINUX_POPULATE = 1, LINUX_WILL_NEED = 2, LINUX_DROP = 3 };
size_t linux_page_size(void);
// address is that of a page.
int linux_advise(const void *address, size_t size, int how);
// For each page: 1 when it is in the memory of this process.
int linux_resident_pages(const void *address, size_t count, uint8_t *states);

// Time, chance, process
int64_t linux_monotonic_nanoseconds(void);
int64_t linux_wall_clock_seconds(void);
void linux_sleep_milliseconds(uint32_t milliseconds);
int linux_random(void *buffer, size_t size);
int linux_process_id(void);
int linux_effective_user(void);
int linux_raise_descriptor_limit(uint64_t *limit);
int linux_processor_count(void);
int64_t linux_peak_resident_octets(void);
int64_t linux_cpu_microseconds(void);
int linux_is_terminal(int fd);
int linux_terminal_columns(int fd);
const char *linux_environment(const char *name);
// The system's text for an errno, e.g. "Permission denied".
const char *linux_error_text(int error);
int linux_execute(const char *path, const char *const *arguments);
_Noreturn void linux_exit(int status);
// Runs a program found on PATH with its standard output (reads = 1) or input (reads = 0) on a pipe.
int linux_spawn_piped(const char *const *arguments, int reads, int other_fd, int *process_id);
// The exit status of a child, 128 + signal when it was ended by one.
int linux_wait(int process_id);

// Threads
int linux_start_thread(void *context, void (*body)(void *context), uint64_t *thread);
int linux_join_thread(uint64_t thread);
void linux_name_thread(const char *name);

// Waiting
struct linux_event {
    uint32_t events;
    uint64_t token;
};
enum { LINUX_READABLE = 1, LINUX_WRITABLE = 4, LINUX_FAILED = 8, LINUX_HUNG_UP = 16 };
int linux_epoll_create(void);
int linux_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int linux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token);
int linux_epoll_remove(int epoll, int fd);
int linux_epoll_wait(int epoll, struct linux_event *events, int count, int timeout_milliseconds);
int linux_eventfd_create(void);
int linux_eventfd_signal(int fd);
int linux_eventfd_clear(int fd);
// Blocks the signals in this thread and those it starts later; returns a descriptor to read them.
int linux_signal_descriptor(const int *signals, int count);
int linux_next_signal(int fd);
void linux_ignore_broken_pipes(void);

// Sockets
int linux_udp_bind(const struct linux_address *address, int reuse_port, int only_probe);
int linux_udp_connect(const struct linux_address *address, uint16_t local_port);
int linux_tcp_listen(const struct linux_address *address, int reuse_port, int only_probe);
int linux_tcp_connect(const struct linux_address *address);
int linux_accept(int fd, struct linux_address *remote);
int linux_local_address(int fd, struct linux_address *address);
int linux_socket_error(int fd);
int64_t linux_receive(int fd, void *buffer, size_t size);
int64_t linux_send(int fd, const void *buffer, size_t size);
int linux_unix_listen(const char *path, uint32_t mode);
int linux_unix_connect(const char *path);
int linux_unix_accept(int fd);
// The index of an interface, 0 when there is none of that name.
uint32_t linux_interface_index(const char *name);
int linux_set_timeout(int fd, int milliseconds);

// Batches of datagrams
struct linux_receive_batch;
struct linux_receive_batch *linux_receive_batch_create(unsigned count, unsigned datagram_size);
void linux_receive_batch_free(struct linux_receive_batch *batch);
size_t linux_receive_batch_held(const struct linux_receive_batch *batch);
int linux_receive_batch_fill(struct linux_receive_batch *batch, int fd);
const uint8_t *linux_receive_batch_octets(const struct linux_receive_batch *batch, unsigned index,
                                          size_t *size);
void linux_receive_batch_peer(const struct linux_receive_batch *batch, unsigned index,
                              struct linux_peer *peer);
struct linux_send_batch;
struct linux_send_batch *linux_send_batch_create(unsigned count);
void linux_send_batch_free(struct linux_send_batch *batch);
size_t linux_send_batch_held(const struct linux_send_batch *batch);
void linux_send_batch_set(struct linux_send_batch *batch, unsigned index, const uint8_t *octets,
                          size_t size, const struct linux_peer *peer);
// Sends entries first ..< count; returns how many went, or the negative errno of the first.
int linux_send_batch_flush(struct linux_send_batch *batch, int fd, unsigned first, unsigned count);
#endif
