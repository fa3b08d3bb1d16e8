/* Loaded into a process (LD_PRELOAD): writes down every change of a file below FSYNC_JOURNAL_FOLDER, and every completed
   fsync, in the file FSYNC_JOURNAL. From that journal it is known what a loss of power would have left.

   A record: operation (1 byte), length of the path (4), offset (8), length of the data (8), path, data. Several processes
   append to the same journal; each record is one call of writev. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *folder, *journal_path;
static size_t folder_length;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void) {
    if (!getenv("FSYNC_JOURNAL_FOLDER") || !getenv("FSYNC_JOURNAL")) return;
    folder = strdup(getenv("FSYNC_JOURNAL_FOLDER")); /* a server writes its title over the environment */
    journal_path = strdup(getenv("FSYNC_JOURNAL"));
    folder_length = strlen(folder);
}

static int path_of(int fd, char *path) {
    char link[64];
    if (!folder) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strncmp(path, folder, folder_length) == 0;
}

static void note(char operation, const char *path, uint64_t offset, const void *data, uint64_t length) {
    char header[21];
    uint32_t path_length = (uint32_t)strlen(path);
    header[0] = operation;
    memcpy(header + 1, &path_length, 4);
    memcpy(header + 5, &offset, 8);
    memcpy(header + 13, &length, 8);
    struct iovec parts[3] = {{header, 21}, {(void *)path, path_length}, {(void *)data, data ? length : 0}};
    /* opened each time: a server may close, and use for something else, what it does not know */
    int journal = open(journal_path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (journal >= 0) {
        (void)!writev(journal, parts, 3);
        close(journal);
    }
}

static ssize_t wrote(int fd, uint64_t offset, const void *data, ssize_t done) {
    char path[PATH_MAX];
    if (done > 0 && path_of(fd, path)) note('W', path, offset, data, (uint64_t)done);
    return done;
}

#define PWRITE(name)                                                              \
    ssize_t name(int fd, const void *data, size_t length, off_t offset) {         \
        static ssize_t (*next)(int, const void *, size_t, off_t);                 \
        if (!next) next = real(#name);                                            \
        return wrote(fd, (uint64_t)offset, data, next(fd, data, length, offset)); \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t write(int fd, const void *data, size_t length) {
    static ssize_t (*next)(int, const void *, size_t);
    if (!next) next = real("write");
    ssize_t done = next(fd, data, length);
    char path[PATH_MAX];
    if (done > 0 && path_of(fd, path)) note('W', path, (uint64_t)(lseek(fd, 0, SEEK_CUR) - done), data, (uint64_t)done);
    return done;
}

static void wrote_parts(int fd, uint64_t offset, const struct iovec *parts, int count, ssize_t done) {
    char path[PATH_MAX];
    if (done <= 0 || !path_of(fd, path)) return;
    for (int part = 0; part < count && done > 0; part++) {
        size_t length = parts[part].iov_len < (size_t)done ? parts[part].iov_len : (size_t)done;
        note('W', path, offset, parts[part].iov_base, length);
        offset += length;
        done -= (ssize_t)length;
    }
}

#define PWRITEV(name)                                                            \
    ssize_t name(int fd, const struct iovec *parts, int count, off_t offset) {   \
        static ssize_t (*next)(int, const struct iovec *, int, off_t);           \
        if (!next) next = real(#name);                                           \
        ssize_t done = next(fd, parts, count, offset);                           \
        wrote_parts(fd, (uint64_t)offset, parts, count, done);                   \
        return done;                                                             \
    }
PWRITEV(pwritev)
PWRITEV(pwritev64)

#define TRUNCATE(name)                                                           \
    int name(int fd, off_t length) {                                             \
        static int (*next)(int, off_t);                                          \
        if (!next) next = real(#name);                                           \
        int result = next(fd, length);                                           \
        char path[PATH_MAX];                                                     \
        if (result == 0 && path_of(fd, path)) note('T', path, (uint64_t)length, 0, 0); \
        return result;                                                           \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define ALLOCATE(name)                                                           \
    int name(int fd, off_t offset, off_t length) {                               \
        static int (*next)(int, off_t, off_t);                                   \
        if (!next) next = real(#name);                                           \
        int result = next(fd, offset, length);                                   \
        char path[PATH_MAX];                                                     \
        if (result == 0 && path_of(fd, path)) note('A', path, (uint64_t)(offset + length), 0, 0); \
        return result;                                                           \
    }
ALLOCATE(posix_fallocate)
ALLOCATE(posix_fallocate64)

#define SYNC(name)                                                               \
    int name(int fd) {                                                           \
        static int (*next)(int);                                                 \
        if (!next) next = real(#name);                                           \
        int result = next(fd);                                                   \
        char path[PATH_MAX];                                                     \
        if (result == 0 && path_of(fd, path)) note('S', path, 0, 0, 0);          \
        return result;                                                           \
    }
SYNC(fsync)
SYNC(fdatasync)

static void absolute(const char *path, char *whole) {
    if (path[0] == '/') { snprintf(whole, PATH_MAX, "%s", path); return; }
    char here[PATH_MAX / 2];
    if (!getcwd(here, sizeof here)) here[0] = 0;
    snprintf(whole, PATH_MAX, "%s/%.2000s", here, path);
}

int unlink(const char *path) {
    static int (*next)(const char *);
    if (!next) next = real("unlink");
    int result = next(path);
    char whole[PATH_MAX];
    absolute(path, whole);
    if (result == 0 && folder && strncmp(whole, folder, folder_length) == 0) note('U', whole, 0, 0, 0);
    return result;
}

int rename(const char *from, const char *to) {
    static int (*next)(const char *, const char *);
    if (!next) next = real("rename");
    int result = next(from, to);
    char old[PATH_MAX], new[PATH_MAX];
    absolute(from, old);
    absolute(to, new);
    if (result == 0 && folder && strncmp(new, folder, folder_length) == 0) note('R', old, 0, new, strlen(new));
    return result;
}
