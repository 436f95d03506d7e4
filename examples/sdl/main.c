/* A game loop of sixty frames a second: a robot proposes, a card asks the player, and what was approved happens in the
 * yard. The library gets 2 ms of each frame.
 *
 *   yard [--demo DIR]     Y approves, N denies, Escape ends
 *
 * --demo presses the keys by itself, saves card.bmp and yard.bmp into DIR, prints what became of each wish, and ends.
 */
#include "world.h"

#include <SDL2/SDL.h>
#include <SDL2/SDL_ttf.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 600, FRAME_MS = 16, BUDGET_US = 2000, WISHES = 3, CARD_FRAMES = 30 };

static const char FONT[] = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf";
static const char MANIFEST[] =
    "{\"name\":\"yard\",\"version\":\"1\",\"requires\":1,\"policies\":[{\"file\":\"yard.lua\",\"level\":\"hard\"}]}";
static const char POLICY[] =
    "local policy = require 'interlock.policy'\n"
    "return policy {\n"
    "  name = 'gates',\n"
    "  preview = function(action)\n"
    "    if action.tool == 'open_gate' then return policy.ask('the player decides about gates') end\n"
    "  end,\n"
    "}\n";

static const struct { const char *say, *json; } wishes[WISHES] = {
    { "light the lamp", "{\"tool\":\"light_lamp\",\"arguments\":{\"thingId\":\"lamp\"}}" },
    { "open the left gate", "{\"tool\":\"open_gate\",\"arguments\":{\"thingId\":\"1\"}}" },
    { "open the right gate", "{\"tool\":\"open_gate\",\"arguments\":{\"thingId\":\"2\"}}" },
};

struct game {
    struct world world;
    il_run *runs[WISHES];
    int wished;             /* so many wishes were proposed */
    int card_frames;        /* so long has the card been up */
    const char *demo;       /* NULL: a person plays */
    bool over;
    SDL_Renderer *screen;
    TTF_Font *font;
};

static struct il_str text(const char *z)
{
    return (struct il_str){ z, strlen(z) };
}

/* ---- the robot and the player ------------------------------------------------------------------------------------ */

static enum il_code open_host(struct game *game, struct il_error *err)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    const struct il_file files[] = { { text("bundle.json"), text(MANIFEST) }, { text("yard.lua"), text(POLICY) } };
    const struct il_str nothing = { NULL, 0 };
    enum il_code code = il_host_new(&options, &game->world.host, err);
    if (code) return code;
    const struct il_runtime runtime = world_runtime(&game->world);
    code = il_host_set_runtime(game->world.host, &runtime, err);
    if (!code) code = il_host_add_bundle(game->world.host, files, 2, nothing, err);
    if (!code) code = il_host_add_approver(game->world.host, text("player"), NULL, 0, err);
    return code;
}

static enum il_code propose(struct game *game, struct il_error *err)
{
    const struct il_str scopes[] = { text("computer:plan"), text("computer:execute:background") };
    struct il_run_options action = IL_RUN_OPTIONS_INIT;
    action.proposal = text(wishes[game->wished].json);
    action.principal = text("robot-1");
    action.session_id = text("yard");
    action.scopes = scopes;
    action.scope_count = 2;
    return il_run_start(game->world.host, &action, &game->runs[game->wished++], err);
}

/* The wish that the card is about; -1: none. */
static int waiting(const struct game *game)
{
    for (int i = 0; i < game->wished; i++)
        if (il_run_state(game->runs[i]) == IL_RUN_WAITING) return i;
    return -1;
}

/* The text of a member of the waiting document; empty when it is null. */
static struct il_str shown(struct il_str document, const char *name)
{
    char key[40];
    const size_t n = (size_t)snprintf(key, sizeof key, "\"%s\":\"", name);
    for (size_t i = 0; i + n < document.len; i++) {
        if (memcmp(document.ptr + i, key, n) != 0) continue;
        const char *end = memchr(document.ptr + i + n, '"', document.len - i - n);
        if (end) return (struct il_str){ document.ptr + i + n, (size_t)(end - document.ptr) - i - n };
    }
    return (struct il_str){ NULL, 0 };
}

/* The decision names what the player saw, so that it can be for nothing else. */
static enum il_code answer(struct game *game, const char *what, struct il_error *err)
{
    struct il_decision decision = IL_DECISION_INIT;
    struct il_str document;
    const int i = waiting(game);
    if (i < 0) return IL_OK;
    enum il_code code = il_run_document(game->runs[i], &document, err);
    if (code) return code;
    decision.request_id = shown(document, "requestId");
    decision.action_digest = shown(document, "actionDigest");
    decision.policy_digest = shown(document, "policyDigest");
    decision.approver = text("player");
    decision.decision = text(what);
    game->card_frames = 0;
    return il_run_decide(game->runs[i], &decision, err);
}

/* ---- the screen -------------------------------------------------------------------------------------------------- */

static void fill(struct game *game, int x, int y, int w, int h, unsigned rgb)
{
    const SDL_Rect box = { x, y, w, h };
    SDL_SetRenderDrawColor(game->screen, (rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255, 255);
    SDL_RenderFillRect(game->screen, &box);
}

static void write_at(struct game *game, int x, int y, const char *words)
{
    const SDL_Color white = { 240, 240, 240, 255 };
    SDL_Surface *surface = TTF_RenderUTF8_Blended_Wrapped(game->font, words, white, WIDTH - 80);
    SDL_Texture *texture = surface ? SDL_CreateTextureFromSurface(game->screen, surface) : NULL;
    if (texture) {
        const SDL_Rect box = { x, y, surface->w, surface->h };
        SDL_RenderCopy(game->screen, texture, NULL, &box);
    }
    SDL_DestroyTexture(texture);
    SDL_FreeSurface(surface);
}

static void draw_yard(struct game *game)
{
    const struct world *w = &game->world;
    fill(game, 0, 0, WIDTH, HEIGHT, 0x1b2430);
    fill(game, 300, 40, 40, 40, w->lamp_on ? 0xffe080 : 0x404040);
    for (int i = 0; i < 2; i++)
        fill(game, 60 + i * 400, 60, 120, w->gate_open[i] ? 12 : 90, w->gate_open[i] ? 0x60c060 : 0x805030);
    for (int i = 0; i < game->wished; i++) {
        struct il_summary sum = { .size = sizeof sum };
        char line[120];
        il_run_summary(game->runs[i], &sum);
        snprintf(line, sizeof line, "the robot wants to %s: %s", wishes[i].say, sum.status);
        write_at(game, 40, 170 + i * 20, line);
    }
}

static void draw_card(struct game *game)
{
    struct il_error err = IL_ERROR_INIT;
    struct il_str card;
    char digest[65], words[2000];
    const int i = waiting(game);
    if (i < 0 || il_run_card(game->runs[i], &card, digest, &err)) return;
    fill(game, 20, 240, WIDTH - 40, HEIGHT - 250, 0x2f3e56);
    snprintf(words, sizeof words, "Y approve   N deny\n%.*s", (int)card.len, card.ptr);
    write_at(game, 32, 246, words);
}

static bool save(struct game *game, const char *name)
{
    char path[512];
    SDL_Surface *picture = SDL_CreateRGBSurfaceWithFormat(0, WIDTH, HEIGHT, 24, SDL_PIXELFORMAT_BGR24);
    snprintf(path, sizeof path, "%s/%s", game->demo, name);
    bool saved = picture && !SDL_RenderReadPixels(game->screen, NULL, SDL_PIXELFORMAT_BGR24, picture->pixels,
                                                  picture->pitch);
    saved = saved && !SDL_SaveBMP(picture, path);
    SDL_FreeSurface(picture);
    return saved;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static bool all_over(const struct game *game)
{
    for (int i = 0; i < game->wished; i++)
        if (il_run_state(game->runs[i]) != IL_RUN_ENDED) return false;
    return game->wished == WISHES;
}

/* What the demo does instead of a player. */
static enum il_code play(struct game *game, struct il_error *err)
{
    if (waiting(game) >= 0) {
        game->card_frames++;
        if (game->card_frames == CARD_FRAMES / 2) save(game, "card.bmp");
        if (game->card_frames == CARD_FRAMES) return answer(game, waiting(game) == 1 ? "approve" : "deny", err);
    } else if (all_over(game)) {
        save(game, "yard.bmp");
        game->over = true;
    }
    return IL_OK;
}

static enum il_code keys(struct game *game, struct il_error *err)
{
    enum il_code code = IL_OK;
    for (SDL_Event event; SDL_PollEvent(&event);) {
        if (event.type == SDL_QUIT) game->over = true;
        if (event.type != SDL_KEYDOWN || code) continue;
        if (event.key.keysym.sym == SDLK_ESCAPE) game->over = true;
        if (event.key.keysym.sym == SDLK_y) code = answer(game, "approve", err);
        if (event.key.keysym.sym == SDLK_n) code = answer(game, "deny", err);
    }
    return code;
}

static enum il_code frame(struct game *game, unsigned number, struct il_error *err)
{
    struct il_tick tick = { .size = sizeof tick };
    enum il_code code = keys(game, err);
    if (!code && game->wished < WISHES && number % 20 == 10 && waiting(game) < 0) code = propose(game, err);
    if (!code) code = il_host_tick(game->world.host, BUDGET_US, &tick, err);
    draw_yard(game);
    draw_card(game);
    if (!code && game->demo) code = play(game, err);
    SDL_RenderPresent(game->screen);
    return code;
}

static bool open_screen(struct game *game, SDL_Window **window)
{
    if (SDL_Init(SDL_INIT_VIDEO) || TTF_Init()) return false;
    *window = SDL_CreateWindow("Interlock in a yard", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, WIDTH, HEIGHT, 0);
    if (*window) game->screen = SDL_CreateRenderer(*window, -1, SDL_RENDERER_SOFTWARE);
    game->font = TTF_OpenFont(FONT, 11);
    return game->screen && game->font;
}

int main(int argc, char **argv)
{
    struct game game = { .demo = argc == 3 && strcmp(argv[1], "--demo") == 0 ? argv[2] : NULL };
    struct il_error err = IL_ERROR_INIT;
    SDL_Window *window = NULL;
    enum il_code code = IL_RUNTIME;
    if (!open_screen(&game, &window)) fprintf(stderr, "yard: no screen or no font: %s\n", SDL_GetError());
    else code = open_host(&game, &err);
    for (unsigned number = 0; !code && !game.over; number++) {
        const unsigned began = SDL_GetTicks();
        code = frame(&game, number, &err);
        const unsigned took = SDL_GetTicks() - began;
        if (took < FRAME_MS) SDL_Delay(FRAME_MS - took);
    }
    if (err.code) fprintf(stderr, "yard: %s: %s\n", il_code_name(err.code), err.message);
    for (int i = 0; i < game.wished; i++) {
        struct il_summary sum = { .size = sizeof sum };
        il_run_summary(game.runs[i], &sum);
        printf("%s: %s\n", wishes[i].say, sum.status);
    }
    printf("acts: %u\n", game.world.acts);
    il_host_free(game.world.host);
    TTF_CloseFont(game.font);
    SDL_DestroyRenderer(game.screen);
    SDL_DestroyWindow(window);
    SDL_Quit();
    return code ? 1 : 0;
}
