#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CLinux.h"

extern char **environ;

static int64_t clock_nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t linux_monotonic_nanoseconds(void) { return clock_nanoseconds(CLOCK_MONOTONIC); }
int64_t linux_wall_clock_seconds(void) {
    return clock_nanoseconds(CLOCK_REALTIME) / 1000000000;
}

void linux_sleep_milliseconds(uint32_t milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

int linux_random(void *buffer, size_t size) {
    uint8_t *next = buffer;
    while (size > 0) {
        ssize_t got = getrandom(next, size, 0);
        if (got < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        next += got;
        size -= (size_t)got;
    }
    return 0;
}

int linux_process_id(void) { return getpid(); }
int linux_effective_user(void) { return (int)geteuid(); }

int linux_raise_descriptor_limit(uint64_t *limit) {
    struct rlimit current;
    if (getrlimit(RLIMIT_NOFILE, &current) < 0) return -errno;
    current.rlim_cur = current.rlim_max > 65536 ? 65536 : current.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &current) < 0) return -errno;
    *limit = current.rlim_cur;
    return 0;
}

int linux_processor_count(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) < 0 ? -errno : CPU_COUNT(&set);
}

int64_t linux_peak_resident_octets(void) {
    // getrusage counts what the process held before it became this program: the memory of who
    // started it. The high-water mark in /proc is this program's own.
    FILE *status = fopen("/proc/self/status", "re");
    if (status) {
        char line[128];
        long kibibytes = 0;
        while (fgets(line, sizeof line, status))
            if (sscanf(line, "VmHWM: %ld", &kibibytes) == 1) break;
        fclose(status);
        if (kibibytes > 0) return (int64_t)kibibytes * 1024;
    }
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) < 0 ? -errno : (int64_t)usage.ru_maxrss * 1024;
}

int64_t linux_cpu_microseconds(void) { return clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) / 1000; }
int linux_is_terminal(int fd) { return isatty(fd); }

int linux_terminal_columns(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) < 0 ? -errno : size.ws_col;
}

const char *linux_environment(const char *name) { return getenv(name); }

const char *linux_error_text(int error) {
    const char *text = strerrordesc_np(error);
    return text ? text : "unknown error";
}

int linux_execute(const char *path, const char *const *arguments) {
    execv(path, (char *const *)arguments);
    return -errno;
}

void linux_exit(int status) { exit(status); }

int linux_spawn_piped(const char *const *arguments, int reads, int other_fd, int *process_id) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, reads ? ends[1] : ends[0], reads ? 1 : 0);
    posix_spawn_file_actions_adddup2(&actions, other_fd, reads ? 0 : 1);
    pid_t pid;
    int error = posix_spawnp(&pid, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(reads ? ends[1] : ends[0]);
    if (error != 0) {
        close(reads ? ends[0] : ends[1]);
        return -error;
    }
    *process_id = pid;
    return reads ? ends[0] : ends[1];
}

int linux_wait(int process_id) {
    int status;
    while (waitpid(process_id, &status, 0) < 0)
        if (errno != EINTR) return -errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct thread_start {
    void (*body)(void *);
    void *context;
};

static void *run_thread(void *argument) {
    struct thread_start start = *(struct thread_start *)argument;
    free(argument);
    start.body(start.context);
    return NULL;
}

int linux_start_thread(void *context, void (*body)(void *context), uint64_t *thread) {
    struct thread_start *start = malloc(sizeof *start);
    if (!start) return -ENOMEM;
    *start = (struct thread_start){body, context};
    pthread_t handle;
    int error = pthread_create(&handle, NULL, run_thread, start);
    if (error != 0) {
        free(start);
        return -error;
    }
    *thread = (uint64_t)handle;
    return 0;
}

int linux_join_thread(uint64_t thread) { return -pthread_join((pthread_t)thread, NULL); }
void linux_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

int linux_signal_descriptor(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
    int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (error != 0) return -error;
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int linux_next_signal(int fd) {
    struct signalfd_siginfo info;
    ssize_t got = read(fd, &info, sizeof info);
    if (got < 0) return errno == EAGAIN ? 0 : -errno;
    return (int)info.ssi_signo;
}

void linux_ignore_broken_pipes(void) { signal(SIGPIPE, SIG_IGN); }
