/* The command `interlock`: finds the command, parses its arguments, runs it, ends with its status.
 * Uses <interlock.h> only. Must never leave standard streams closed (a file opened later would take their place) nor
 * die of a reader that went away while a run holds something. */
#include "cli/config.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A closed stream gets a descriptor that fails when used: reads of stdin end at once, writes are reported. */
static void fill_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd) _exit(8);
}

static const struct il__command *find(struct il__io *io, const char *name)
{
    const char *near = NULL;
    const struct il__command *command = il__command_find(name, &near);
    if (command) return command;
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0) return &il__command_help;
    if (strcmp(name, "-V") == 0 || strcmp(name, "--version") == 0) return &il__command_version;
    const char *what = name[0] == '-' ? "option" : "command";
    if (near) il__io_error(io, "unknown %s '%s'; did you mean '%s'?", what, name, near);
    else il__io_error(io, "unknown %s '%s'; 'interlock help' lists the commands", what, name);
    return NULL;
}

/* The verb of a command of commands: 0 and the verb in `*command`, which it stays for --help; else the exit status. */
static int find_verb(struct il__io *io, const struct il__command **command, int argc, char **argv)
{
    const char *near = NULL, *name = (*command)->name;
    if (argc > 2 && (strcmp(argv[2], "-h") == 0 || strcmp(argv[2], "--help") == 0)) return 0;
    if (argc < 3) {
        il__io_error(io, "the verb is missing; 'interlock help %s' lists them", name);
        return 2;
    }
    const struct il__command *sub = il__command_sub(*command, argv[2], &near);
    if (sub) *command = sub;
    else if (near) il__io_error(io, "unknown verb '%s'; did you mean '%s %s'?", argv[2], name, near);
    else il__io_error(io, "unknown verb '%s'; 'interlock help %s' lists them", argv[2], name);
    return sub ? 0 : 2;
}

static int dispatch(struct il__io *io, int argc, char **argv)
{
    struct il__args args;
    if (argc < 2) {
        il__help_print(&io->err, NULL);
        return 2;
    }
    const struct il__command *command = find(io, argv[1]);
    if (!command) return 2;
    io->command = command->name;
    int status = command->sub_at ? find_verb(io, &command, argc, argv) : 0;
    if (status != 0) return status;
    int skip = io->command == command->name ? 2 : 3;
    io->command = command->name;
    status = il__args_parse(command, argc - skip, argv + skip, &args, io);
    if (status != 0) return status;
    if (args.help || command->sub_at) {
        il__help_print(&io->out, command);
        return 0;
    }
    struct il__config config;
    status = il__config_load(io, &args, &config);
    if (status == 0) status = command->run(&args, io);
    il__config_free(&config);
    return status;
}

int main(int argc, char **argv)
{
    struct il__io io;
    fill_streams();
    signal(SIGPIPE, SIG_IGN);
    memset(&io, 0, sizeof io);
    io.command = "";
    il__out_init(&io.out, stdout);
    il__out_init(&io.err, stderr);
    return il__io_close(&io, dispatch(&io, argc, argv));
}
