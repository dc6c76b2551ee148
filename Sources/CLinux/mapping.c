#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CLinux.h"

// A mapping whose pages may go away under its readers. `start` is 0 while the slot is free and 1
// while it is being filled.
struct guarded_mapping {
    _Atomic uintptr_t start;
    _Atomic size_t size;
    atomic_int is_damaged;
};

static struct guarded_mapping guarded[LINUX_GUARD_LIMIT];
static atomic_int wake_descriptor = -1;

// Runs in the thread that touched the page: only atomics and system calls.
static void replace_lost_pages(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    int saved_errno = errno;
    uintptr_t address = (uintptr_t)info->si_addr;
    for (unsigned i = 0; i < LINUX_GUARD_LIMIT; i++) {
        uintptr_t start = atomic_load(&guarded[i].start);
        size_t size = atomic_load(&guarded[i].size);
        if (start <= 1 || address < start || address - start >= size) continue;
        // All pages, not only the lost one: zeros beside what is left would read as other rules.
        void *zeros = mmap((void *)start, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                           -1, 0);
        if (zeros == MAP_FAILED) break;
        atomic_store(&guarded[i].is_damaged, 1);
        int wake = atomic_load(&wake_descriptor);
        if (wake >= 0) linux_eventfd_signal(wake);
        errno = saved_errno;
        return;
    }
    // None of ours: what happens without a handler.
    signal(SIGBUS, SIG_DFL);
    raise(SIGBUS);
}

int linux_survive_lost_pages(int eventfd) {
    atomic_store(&wake_descriptor, eventfd);
    struct sigaction action = {.sa_sigaction = replace_lost_pages,
                               .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGBUS, &action, NULL) < 0 ? -errno : 0;
}

const void *linux_map(int fd, size_t size, int *slot, int *error) {
    void *address = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (address == MAP_FAILED) {
        *error = errno;
        return NULL;
    }
    for (int i = 0; i < LINUX_GUARD_LIMIT; i++) {
        uintptr_t free_slot = 0;
        if (!atomic_compare_exchange_strong(&guarded[i].start, &free_slot, 1)) continue;
        atomic_store(&guarded[i].is_damaged, 0);
        atomic_store(&guarded[i].size, size);
        atomic_store(&guarded[i].start, (uintptr_t)address);
        *slot = i;
        return address;
    }
    munmap(address, size);
    *error = ENFILE;
    return NULL;
}

void linux_unmap(const void *address, size_t size, int slot) {
    atomic_store(&guarded[slot].size, 0);
    atomic_store(&guarded[slot].start, 0);
    munmap((void *)address, size);
}

int linux_is_damaged(int slot) { return atomic_load(&guarded[slot].is_damaged); }

size_t linux_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

int linux_advise(const void *address, size_t size, int how) {
    static const int advice[] = {[LINUX_RANDOM] = MADV_RANDOM,
                                 [LINUX_POPULATE] = MADV_POPULATE_READ,
                                 [LINUX_WILL_NEED] = MADV_WILLNEED,
                                 [LINUX_DROP] = MADV_DONTNEED};
    int result;
    do result = madvise((void *)address, size, advice[how]);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int linux_resident_pages(const void *address, size_t count, uint8_t *states) {
    // Each page of the process has 8 octets in this file; the top bit says that it is there
    // (proc(5)). mincore(2) would tell of the page cache, which is not this process's memory.
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    uint64_t entries[512];
    size_t page_size = linux_page_size();
    size_t done = 0;
    int result = 0;
    while (done < count) {
        size_t wanted = count - done < 512 ? count - done : 512;
        off_t offset = (off_t)(((uintptr_t)address / page_size + done) * sizeof entries[0]);
        ssize_t got = pread(fd, entries, wanted * sizeof entries[0], offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < (ssize_t)sizeof entries[0]) {
            result = got < 0 ? -errno : -EIO;
            break;
        }
        for (size_t i = 0; i < (size_t)got / sizeof entries[0]; i++)
            states[done + i] = (uint8_t)(entries[i] >> 63);
        done += (size_t)got / sizeof entries[0];
    }
    close(fd);
    return result;
}
