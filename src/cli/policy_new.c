/* `interlock policy new NAME`: a folder with a bundle that works, its test, and what an editor needs. A host refuses
 * files in a bundle that it does not know, so the bundle is a folder of its own, and what is for people lies around it.
 * Must never write over anything. */
#include "cli/policy.h"
#include "cli/put.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* @ stands for the name, # for the name as a file. */
static const char manifest[] =
    "{\n"
    "  \"name\": \"@\",\n"
    "  \"version\": \"0.1.0\",\n"
    "  \"requires\": 1,\n"
    "  \"policies\": [\n"
    "    {\n"
    "      \"file\": \"#.lua\",\n"
    "      \"level\": \"hard\",\n"
    "      \"params\": {\n"
    "        \"classes\": { \"type\": \"strings\", \"default\": [\"destructive\", \"communicate_external\"] }\n"
    "      }\n"
    "    }\n"
    "  ]\n"
    "}\n";

static const char policy_file[] =
    "-- Somebody must agree to what cannot easily be taken back. Which classes that are is a parameter (bundle.json).\n"
    "\n"
    "local policy = require \"interlock.policy\"\n"
    "\n"
    "return policy {\n"
    "  name = \"@\",\n"
    "\n"
    "  -- Asked once the runtime has said what the action would do, and before anything is done.\n"
    "  preview = function(action, ctx)\n"
    "    if not policy.has(ctx.params.classes, action.action_class) then return end -- nothing to say\n"
    "    return policy.ask((\"this is %s\"):format(action.action_class), {\n"
    "      code = \"@\",\n"
    "      remedy = \"have somebody look at it and approve\",\n"
    "    })\n"
    "  end,\n"
    "}\n";

static const char test_file[] =
    "-- Cases: an action, and what the policy must say of it. A host never loads this file.\n"
    "\n"
    "return {\n"
    "  {\n"
    "    name = \"what destroys something is asked for\",\n"
    "    action = { tool = \"filesystem\", action_class = \"destructive\" },\n"
    "    expect = { verdict = \"ask\", code = \"@\", reason = \"this is destructive\" },\n"
    "  },\n"
    "  {\n"
    "    name = \"an edit is not\",\n"
    "    action = { tool = \"filesystem\", action_class = \"edit_reversible\" },\n"
    "    expect = \"none\",\n"
    "  },\n"
    "  {\n"
    "    name = \"the classes are a parameter\",\n"
    "    action = { tool = \"filesystem\", action_class = \"edit_reversible\" },\n"
    "    params = { classes = { \"edit_reversible\" } },\n"
    "    expect = \"ask\",\n"
    "  },\n"
    "}\n";

static const char readme[] =
    "# @\n"
    "\n"
    "Asks before actions of some classes.\n"
    "\n"
    "| parameter | type | default | meaning |\n"
    "|---|---|---|---|\n"
    "| `classes` | strings | destructive, communicate_external | the classes of actions that are asked for |\n"
    "\n"
    "`policy/` is the bundle: `bundle.json` says which files belong to it, and a host refuses any other file in it,\n"
    "apart from tests (`*_test.lua`), pages (`*.md`) and its signature. What is for people and editors lies here.\n"
    "\n"
    "    interlock policy lint policy\n"
    "    interlock policy test policy\n"
    "    interlock policy eval action.json --policy policy --trace\n"
    "    interlock policy build policy -o @.bundle\n"
    "    interlock run action.json --runtime simulated --policy policy --param 'classes=[\"edit_reversible\"]'\n"
    "\n"
    "Sign it, so that hosts with the public key load this bundle and no other:\n"
    "\n"
    "    interlock key new team.pem >team.pub\n"
    "    interlock policy sign policy --key team.pem\n"
    "    interlock policy verify policy --policy-key team.pub\n";

static const char luarc[] =
    "{\n"
    "  \"runtime.version\": \"Lua 5.4\",\n"
    "  \"runtime.builtin\": {\n"
    "    \"io\": \"disable\", \"os\": \"disable\", \"debug\": \"disable\", \"package\": \"disable\"\n"
    "  },\n"
    "  \"workspace.library\": [\"types\"]\n"
    "}\n";

static bool name_ok(const char *name)
{
    const size_t len = strlen(name);
    const char *const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return len >= 1 && len <= 64 && strchr(letters, name[0]) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == len;
}

static void fill(struct il__text *out, const char *text, const char *name)
{
    for (; *text; text++) {
        if (*text == '@') il__text_puts(out, name);
        else if (*text != '#' || (text[1] != '.' && text[1] != '_')) il__text_add(out, text, 1);
        else
            for (const char *c = name; *c; c++) il__text_add(out, *c == '-' ? "_" : c, 1);
    }
}

/* Writes `text` to ROOT/PATH, in which the name stands; 0, or the exit status after a report. */
static int put_text(struct il__io *io, const char *root, const char *path, struct il_str text, const char *name)
{
    struct il__text where = IL__TEXT_INIT;
    il__text_printf(&where, "%s/", root);
    fill(&where, path, name);
    int why = where.failed ? ENOMEM : il__put_new(where.ptr, text);
    if (why != 0) il__io_error(io, "%s: %s", where.failed ? path : where.ptr, strerror(why));
    else il__io_note(io, "%s", where.ptr);
    il__text_clear(&where);
    return why == 0 ? 0 : why == ENOMEM || why == ENOSPC ? 8 : 2;
}

/* The same of a text in which the name stands as well. */
static int put(struct il__io *io, const char *root, const char *path, const char *text, const char *name)
{
    struct il__text filled = IL__TEXT_INIT;
    fill(&filled, text, name);
    int status = filled.failed ? 8 : put_text(io, root, path, il__text_get(&filled), name);
    il__text_clear(&filled);
    return status;
}

/* What editors and luacheck must know, from the tables of the bindings. */
static int put_reference(struct il__io *io, const char *root, const char *path, enum il_reference_format format)
{
    struct il_text text = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    int status = 8;
    if (il_script_reference(format, &text, &err) == IL_OK)
        status = put_text(io, root, path, (struct il_str){ text.ptr, text.len }, "");
    else il__io_error(io, "%s: %s", path, err.message);
    il_text_clear(&text);
    return status;
}

static int folder(struct il__io *io, const char *root, const char *name)
{
    struct il__text where = IL__TEXT_INIT;
    il__text_printf(&where, *name ? "%s/%s" : "%s%s", root, name);
    int why = where.failed ? ENOMEM : mkdir(where.ptr, 0777) != 0 ? errno : 0;
    if (why == EEXIST) il__io_error(io, "%s is there already; nothing is written over", where.ptr);
    else if (why != 0) il__io_error(io, "%s: %s", where.failed ? root : where.ptr, strerror(why));
    il__text_clear(&where);
    return why == 0 ? 0 : why == ENOMEM || why == ENOSPC ? 8 : 2;
}

static int make(struct il__io *io, const char *root, const char *name)
{
    static const struct { const char *path, *text; } files[] = {
        { "policy/bundle.json", manifest }, { "policy/#.lua", policy_file }, { "policy/#_test.lua", test_file },
        { "README.md", readme }, { ".luarc.json", luarc },
    };
    int status = folder(io, root, "");
    if (status == 0) status = folder(io, root, "policy");
    for (size_t i = 0; status == 0 && i < sizeof files / sizeof *files; i++)
        status = put(io, root, files[i].path, files[i].text, name);
    if (status == 0) status = put_reference(io, root, ".luacheckrc", IL_REFERENCE_LUACHECK);
    if (status == 0) status = folder(io, root, "types");
    if (status == 0) status = put_reference(io, root, "types/interlock.lua", IL_REFERENCE_LUALS);
    return status;
}

static int run(const struct il__args *args, struct il__io *io)
{
    struct il__text root = IL__TEXT_INIT;
    const char *name = args->operand_count ? args->operands[0] : NULL, *dir = il__args_value(args, "dir");
    if (args->operand_count != 1) {
        il__io_error(io, "%s; write 'interlock policy new NAME'", name ? "one name at a time" : "the name is missing");
        return 2;
    }
    if (!name_ok(name)) {
        il__io_error(io, "'%s' is no name of a bundle: a letter, then letters, digits, _ and -, at most 64", name);
        return 2;
    }
    il__text_printf(&root, "%s/%s", dir ? dir : ".", name);
    int status = root.failed ? 8 : make(io, dir ? root.ptr : name, name);
    if (status == 0) il__io_note(io, "try: interlock policy test %s", dir ? root.ptr : name);
    il__text_clear(&root);
    return status;
}

static const struct il__option options[] = {
    { "dir", "DIR", false, "The folder in which it is made; the current one is the default." },
};
static const char *const examples[] = {
    "interlock policy new spending", "interlock policy new spending --dir desk", NULL,
};
static const char *const exits[] = {
    "0   it was made", "2   the call is wrong, or something of that name is there", IL__EXIT_FAILED, NULL,
};

const struct il__command il__command_policy_new = {
    .name = "policy new",
    .operands = "NAME",
    .summary = "Begin a bundle: a policy that works, its test, editor files.",
    .about = "Makes the folder NAME. In NAME/policy lies the bundle: bundle.json, one policy with a parameter, and its "
             "test. Around it lies what is not a host's business: a README, and types and settings for the Lua "
             "language server and for luacheck. Nothing that is there is written over.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .exits = exits,
    .run = run,
};
