/* Where a crash test keeps its files, and what its processes share (crash.h). */
#include "crash.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *crash_shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) return memory;
    printf("Bail out! no shared memory\n");
    exit(1);
}

void crash_paths(struct paths *paths, const char *what, bool disk)
{
    bool shm = !disk && access("/dev/shm", W_OK) == 0; /* thousands of flushes; what a disk does is not the point */
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(paths->dir, sizeof paths->dir, "%.60s/il-%s-%ld", shm ? "/dev/shm" : tmp ? tmp : "/tmp", what,
                   (long)getpid());
    (void)snprintf(paths->store, sizeof paths->store, "%s/store.db", paths->dir);
    (void)snprintf(paths->world, sizeof paths->world, "%s/world", paths->dir);
    (void)snprintf(paths->state, sizeof paths->state, "%s/state", paths->dir);
}

void crash_clean(const struct paths *paths)
{
    pid_t pid = fork();
    if (pid == 0) {
        execlp("rm", "rm", "-rf", paths->dir, (char *)NULL);
        _exit(127);
    }
    (void)waitpid(pid, NULL, 0);
}

char *crash_slurp(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 16384);
    if (!file || !text || fread(text, 1, 16383, file) == 0) {
        printf("Bail out! %s cannot be read\n", path);
        exit(1);
    }
    (void)fclose(file);
    return text;
}
