#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CLinux.h"

#define RESULT(call) \
    ({ __typeof__(call) r_; do { r_ = (call); } while (r_ < 0 && errno == EINTR); \
       r_ < 0 ? (__typeof__(r_))-errno : r_; })

int linux_open(const char *path, int how, uint32_t mode) {
    int flags = O_CLOEXEC;
    switch (how) {
    case LINUX_WRITE_NEW: flags |= O_WRONLY | O_CREAT | O_EXCL; break;
    case LINUX_WRITE_TRUNCATE: flags |= O_WRONLY | O_CREAT | O_TRUNC; break;
    case LINUX_APPEND: flags |= O_WRONLY | O_CREAT | O_APPEND; break;
    case LINUX_READ_WRITE_NEW: flags |= O_RDWR | O_CREAT | O_EXCL; break;
    case LINUX_DIRECTORY: flags |= O_RDONLY | O_DIRECTORY; break;
    case LINUX_READ_WRITE: flags |= O_RDWR | O_CREAT; break;
    default: flags |= O_RDONLY;
    }
    return RESULT(open(path, flags, (mode_t)mode));
}

int linux_lock(int fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    for (;;) {
        int result = RESULT(fcntl(fd, F_SETLK, &lock));
        if (result >= 0) return 0;
        if (result != -EAGAIN && result != -EACCES) return result;
        struct flock holder = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        result = RESULT(fcntl(fd, F_GETLK, &holder));
        if (result < 0) return result;
        // Let go between the two calls: try again.
        if (holder.l_type != F_UNLCK) return holder.l_pid > 0 ? holder.l_pid : -EAGAIN;
    }
}

int linux_close(int fd) { return close(fd) < 0 ? -errno : 0; }
int64_t linux_read(int fd, void *buffer, size_t size) { return RESULT(read(fd, buffer, size)); }
int64_t linux_write(int fd, const void *buffer, size_t size) {
    return RESULT(write(fd, buffer, size));
}
int64_t linux_read_at(int fd, void *buffer, size_t size, int64_t offset) {
    return RESULT(pread(fd, buffer, size, (off_t)offset));
}
int64_t linux_write_at(int fd, const void *buffer, size_t size, int64_t offset) {
    return RESULT(pwrite(fd, buffer, size, (off_t)offset));
}
int64_t linux_position(int fd) { return RESULT(lseek(fd, 0, SEEK_CUR)); }
int64_t linux_seek_start(int fd, int64_t offset) { return RESULT(lseek(fd, offset, SEEK_SET)); }
int linux_fsync(int fd) { return RESULT(fsync(fd)); }
int linux_open_unnamed(const char *directory, uint32_t mode) {
    return RESULT(open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, (mode_t)mode));
}
int linux_name_unnamed(int fd, const char *path) {
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return RESULT(linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
}
void linux_return_large_blocks(void) { mallopt(M_MMAP_THRESHOLD, 256 << 10); }
int linux_rename(const char *from, const char *to) { return RESULT(rename(from, to)); }
int linux_unlink(const char *path) { return RESULT(unlink(path)); }
int linux_make_directory(const char *path, uint32_t mode) {
    return RESULT(mkdir(path, (mode_t)mode));
}
int linux_symlink(const char *target, const char *path) { return RESULT(symlink(target, path)); }
int64_t linux_readlink(const char *path, char *buffer, size_t size) {
    return RESULT(readlink(path, buffer, size));
}
int linux_change_mode(const char *path, uint32_t mode) {
    return RESULT(chmod(path, (mode_t)mode));
}

int64_t linux_file_size(int fd) {
    struct stat status;
    return fstat(fd, &status) < 0 ? -errno : (int64_t)status.st_size;
}

int64_t linux_file_modified(const char *path) {
    struct stat status;
    if (stat(path, &status) < 0) return -errno;
    return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

int linux_touch(const char *path) { return RESULT(utimensat(AT_FDCWD, path, NULL, 0)); }

int linux_file_kind(const char *path) {
    struct stat status;
    if (stat(path, &status) < 0) return -errno;
    if (S_ISREG(status.st_mode)) return 1;
    if (S_ISDIR(status.st_mode)) return 2;
    return S_ISSOCK(status.st_mode) ? 3 : 0;
}

int linux_list_directory(const char *path, void *context,
                         int (*visit)(void *context, const char *name)) {
    DIR *directory = opendir(path);
    if (!directory) return -errno;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.' && (!entry->d_name[1] ||
                                        (entry->d_name[1] == '.' && !entry->d_name[2])))
            continue;
        if (!visit(context, entry->d_name)) break;
    }
    closedir(directory);
    return 0;
}
