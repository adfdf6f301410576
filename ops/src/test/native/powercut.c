/* Notes which bytes of regular files a process has written and which it has forced to the disk, so that a test can take
   away, after a kill, what a power cut would have. To be preloaded. Build: gcc -O2 -shared -fPIC -o powercut.so powercut.c

   POWERCUT_JOURNAL   file that the notes are appended to
   POWERCUT_BOOT_ID   file that is read for the system's boot id: another one after each cut
   POWERCUT_SYNC_US   how long a force takes; nothing is really forced

   W inode offset length   noted before it is written
   B inode number          a force begins: what was noted before is durable when it has ended
   S inode number          it has ended */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int journal = -2;
static unsigned delay;
static unsigned long forces;

static void note(char kind, unsigned long inode, long a, long b) {
    char line[96];
    int size = snprintf(line, sizeof line, "%c %lu %ld %ld\n", kind, inode, a, b);
    if (syscall(SYS_write, journal, line, size) != size) abort();
}

static unsigned long regular(int fd) {
    if (journal == -2) {
        const char *path = getenv("POWERCUT_JOURNAL");
        const char *us = getenv("POWERCUT_SYNC_US");
        delay = us ? (unsigned) atoi(us) : 0;
        journal = path ? (int) syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
    }
    struct stat st;
    return journal >= 0 && fd != journal && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (unsigned long) st.st_ino : 0;
}

static void at_position(int fd, size_t length) {
    unsigned long inode = regular(fd);
    if (inode) note('W', inode, (long) lseek(fd, 0, SEEK_CUR), (long) length);
}

static void at(int fd, off_t offset, size_t length) {
    unsigned long inode = regular(fd);
    if (inode) note('W', inode, (long) offset, (long) length);
}

static size_t total(const struct iovec *parts, int count) {
    size_t sum = 0;
    for (int i = 0; i < count; i++) sum += parts[i].iov_len;
    return sum;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    at_position(fd, length);
    return syscall(SYS_write, fd, bytes, length);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    at_position(fd, total(parts, count));
    return syscall(SYS_writev, fd, parts, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
    at(fd, offset, length);
    return syscall(SYS_pwrite64, fd, bytes, length, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
    return pwrite64(fd, bytes, length, offset);
}

static int force(int fd, long call) {
    unsigned long inode = regular(fd);
    if (!inode) return (int) syscall(call, fd);
    long number = (long) __atomic_add_fetch(&forces, 1, __ATOMIC_SEQ_CST);
    note('B', inode, number, 0);
    if (delay) usleep(delay);
    note('S', inode, number, 0);
    return 0;
}

int fsync(int fd) {
    return force(fd, SYS_fsync);
}

int fdatasync(int fd) {
    return force(fd, SYS_fdatasync);
}

static int open_file(const char *path, int flags, mode_t mode) {
    const char *boot = getenv("POWERCUT_BOOT_ID");
    if (boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) path = boot;
    return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_file(path, flags | O_LARGEFILE, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_file(path, flags, mode);
}
