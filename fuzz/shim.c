/* A disk that breaks: reads and writes of files below EIO_PATH fail with EIO once they pass
 * EIO_AFTER bytes. Set EIO_WRITES to break writes instead of reads. For LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int broken(int fd, off_t place, size_t count, int writing) {
    const char *path = getenv("EIO_PATH"), *after = getenv("EIO_AFTER");
    if (!path || !after || !!getenv("EIO_WRITES") != writing) return 0;
    char link[64], held[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, held, sizeof held - 1);
    if (length <= 0) return 0;
    held[length] = 0;
    if (strncmp(held, path, strlen(path)) != 0) return 0;
    if (place < 0) place = lseek(fd, 0, SEEK_CUR);
    if (place < 0 || place + (off_t)count <= (off_t)atoll(after)) return 0;
    errno = EIO;
    return 1;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = dlsym(RTLD_NEXT, #name)

ssize_t read(int fd, void *to, size_t count) {
    REAL(read);
    return broken(fd, -1, count, 0) ? -1 : real(fd, to, count);
}

ssize_t pread(int fd, void *to, size_t count, off_t place) {
    REAL(pread);
    return broken(fd, place, count, 0) ? -1 : real(fd, to, count, place);
}

ssize_t pread64(int fd, void *to, size_t count, off64_t place) {
    REAL(pread64);
    return broken(fd, place, count, 0) ? -1 : real(fd, to, count, place);
}

ssize_t readv(int fd, const struct iovec *parts, int number) {
    REAL(readv);
    return broken(fd, -1, 1, 0) ? -1 : real(fd, parts, number);
}

ssize_t write(int fd, const void *from, size_t count) {
    REAL(write);
    return broken(fd, -1, count, 1) ? -1 : real(fd, from, count);
}

ssize_t pwrite(int fd, const void *from, size_t count, off_t place) {
    REAL(pwrite);
    return broken(fd, place, count, 1) ? -1 : real(fd, from, count, place);
}

ssize_t pwrite64(int fd, const void *from, size_t count, off64_t place) {
    REAL(pwrite64);
    return broken(fd, place, count, 1) ? -1 : real(fd, from, count, place);
}
