/* Plays a fuzz target as a plain test: every file of its corpus and every JSON vector, each whole, cut at each length
 * (every length of short ones, sampled ones of long ones) and with bytes changed by a fixed random sequence. The input
 * ends at a page that cannot be touched, so a read past the end dies. LONG=1 in the environment: a hundred times more.
 * A target defines LLVMFuzzerTestOneInput and aborts when something is wrong, so libFuzzer can drive it as well.
 * Must never depend on time or place: the same tree gives the same inputs. */
#include "../unit/tap.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct play {
    unsigned char *end; /* the untouchable page begins here */
    size_t room;
    uint64_t random;
    unsigned rounds;
    size_t inputs;
};

static uint64_t next(struct play *play)
{
    play->random ^= play->random << 13;
    play->random ^= play->random >> 7;
    play->random ^= play->random << 17;
    return play->random;
}

static void input(struct play *play, const char *bytes, size_t len)
{
    unsigned char *at = play->end - len;
    memcpy(at, bytes, len);
    LLVMFuzzerTestOneInput(at, len);
    play->inputs++;
}

static void mutate(struct play *play, const char *bytes, size_t len)
{
    static const char pieces[] = "{}[]\",:\\u0d8e-+.\0\xff\xc3\xed\xa0 \n";
    char *copy = malloc(len + 1);
    if (!copy) abort();
    for (unsigned i = 0; i < play->rounds; i++) {
        memcpy(copy, bytes, len);
        for (unsigned changes = 1 + (unsigned)(next(play) % 3); changes > 0 && len > 0; changes--) {
            size_t at = next(play) % len;
            unsigned kind = (unsigned)(next(play) % 3);
            if (kind == 0) copy[at] = pieces[next(play) % sizeof pieces];
            else if (kind == 1) copy[at] = (char)(copy[at] ^ (char)(1 << (next(play) % 8)));
            else copy[at] = copy[next(play) % len];
        }
        input(play, copy, len);
    }
    free(copy);
}

static void file(void *ctx, const char *path, const char *bytes, size_t len)
{
    struct play *play = ctx;
    (void)path;
    if (len > play->room) return;
    input(play, bytes, len);
    size_t step = len <= 512 ? 1 : len / 256;
    for (size_t cut = 0; cut < len; cut += step) input(play, bytes, cut);
    mutate(play, bytes, len);
}

int main(int argc, char **argv)
{
    struct play play = { .room = 1 << 20, .random = 88172645463325252u, .rounds = getenv("LONG") ? 5000 : 50 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *map = mmap(NULL, play.room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (argc < 1 || map == MAP_FAILED || mprotect(map + play.room, page, PROT_NONE) != 0) return 1;
    play.end = map + play.room;

    char dir[256];
    const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    snprintf(dir, sizeof dir, "tests/fuzz/corpus/%.*s", (int)(strlen(name) - strlen("_fuzz")), name);
    struct stat st;
    if (stat(dir, &st) == 0) tap_each(dir, "", file, &play);
    if (stat("tests/vectors", &st) == 0) tap_each("tests/vectors", ".json", file, &play);
    input(&play, "", 0);
    munmap(map, play.room + page);
    tap_ok(play.inputs > 1, "%s: %zu inputs and nothing broke", name, play.inputs);
    return tap_done();
}
