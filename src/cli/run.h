/* What the parts of `interlock run` and `interlock resume` share: the user's input and the run in progress.
 * run_input.c reads the input, run_begin.c starts or resumes, run_drive.c moves the run, run_server.c
 * is about a server and a wait that is kept open, run_ask.c asks at the terminal, run_show.c prints how it ended. */
#ifndef IL_CLI_RUN_H
#define IL_CLI_RUN_H

#include "cli/account.h"
#include "cli/approver.h"
#include "cli/bundles.h"
#include "cli/clock.h"
#include "cli/connect.h"
#include "cli/files.h"
#include "cli/notice.h"
#include "cli/people.h"
#include "cli/shelf.h"
#include "cli/witness.h"

/* The rows of a command's table that say how a run is set up. */
#define IL__RUN_SETUP_OPTIONS                                                                                          \
    { "runtime", "simulated|FILE.lua|SERVER", false,                                                                   \
      "Who acts: 'simulated' is a stand-in that acts on nothing; FILE.lua is a runtime written in Lua; SERVER is a "   \
      "computer-use server: mcp+http://HOST/PATH, mcp+https://HOST/PATH or \"stdio:COMMAND ARGUMENTS\". There is no "  \
      "default." },                                                                                                    \
        { "workflow", "FILE.lua", false, "The order of the steps; the built-in reference workflow is the default." },  \
        IL__BUNDLE_OPTIONS, IL__TRIAL_OPTION,                                                                          \
        { "principal", "P", false, "On whose behalf; the default is local-operator, and the output says so." },        \
        { "tenant", "T", false, "The tenant of the run." }
#define IL__RUN_OTHER_OPTIONS                                                                                          \
    { "read-back", NULL, false,                                                                                        \
      "Once the server says committed, look at the element or file of the postcondition too, without acting; only "    \
      "its digest is kept." },                                                                                         \
        { "kill-switch", "FILE", false, "Do nothing while FILE is there, or its folder is not." },                    \
        { "trace", NULL, false, "Show every check with its inputs; in JSON the member \"trace\"." },                  \
        IL__NOTICE_OPTIONS, IL__PEOPLE_OPTIONS

/* A decision that was made before the run is taken over; it is delivered when the run waits. */
struct il__decided {
    const char *decision, *request_id, *reason; /* reason NULL: none */
};

struct il__run_input {
    const struct il__args *args;
    bool json, trace, ask, wait, simulated, default_principal;
    const char *principal, *action_path, *runtime_path; /* runtime_path NULL: simulated */
    bool server;                  /* endpoint is set; runtime_path is its address */
    struct il__endpoint endpoint;
    struct il__endpoint approver; /* address NULL: there is none */
    struct il__people people;
    struct il__text action, runtime, workflow;
    struct il__bundles bundles;
    struct il__text approvals[IL__CLI_OPTION_VALUES]; /* empty: the file is not there yet (--wait) */
    size_t approval_count;
    const char *approval_option;  /* that named their files: "approval" or "answer" */
    struct il__cli_clock clock;
    bool clock_fixed;
    il_store *store;              /* NULL: the run ends with this process */
    const char *store_path, *session; /* session NULL: none is named */
    const struct il__shelf_row *row;  /* the run that is taken over; NULL: a new one */
    struct il__text scopes;       /* what it began with, a JSON array */
    bool renew;
    const struct il__witness *witness; /* of the store; NULL: none */
    bool accept_rollback;
    const struct il__decided *decided; /* NULL: nothing was decided before */
};

struct il__drive {
    struct il__io *io;
    const struct il__run_input *in;
    struct il__account account;
    struct il__cli_clock clock;
    il_host *host;
    il_run *run;
    struct il__logger logger;
    int signals;      /* a descriptor */
    struct il__text facts, session; /* of the server */
    int64_t asked_ms;  /* when the server's session was last looked at */
    bool asking;       /* and its answer is not there yet */
    bool stopped;      /* the server has answered that its session is stopped, or why not */
    bool told;         /* --wait: what is waited for was told */
    bool said_unreadable;
    struct il_error lost; /* the server went away while the run waited */
    size_t answered;  /* approvals delivered so far */
    bool shown, asked; /* for --ask: the card was shown; the question stands on the terminal */
    bool obtaining;   /* for --ask: what was typed is being granted at the server */
    bool left_open;   /* who was asked left it open */
    bool interrupted;
    bool reobserved;  /* a decision says: look again */
    bool given;       /* what was decided before is delivered */
    char noticed[64]; /* the request that a notice was sent of */
};

/* Reads the options. 0, or the exit status after a report. */
int il__input_read(struct il__io *io, struct il__run_input *in);
void il__input_clear(struct il__run_input *in);
/* Begins or takes over, moves, tells how it ended, and gives all back. The exit status. */
int il__run_whole(struct il__io *io, const struct il__run_input *in);

/* An answer must be readable before it is delivered. */
enum il_code il__answer_check(il_host *scratch, struct il_str text, struct il_error *err);

/* Checks what only a server asks for: scopes are given by name, the clock is the system's. 0, or an exit status. */
int il__server_check(struct il__io *io, const struct il__run_input *in);
/* The scope that the mode of the action needs is among those given. 0, or 1 after a report. */
int il__server_check_scope(struct il__io *io, const struct il__run_input *in);
/* Connects, and sees that server and run are about the same principal. 0, or the exit status after a report. */
int il__server_open(struct il__drive *drive);
/* While a run waits with --wait: looks at the server's session now and then, which also keeps the connection from being
 * given up. */
void il__server_keep(struct il__drive *drive);
/* Stops the session that connecting started, as far as the server answers soon; not where an effect is unknown. */
void il__server_close(struct il__drive *drive);
/* The next --approval FILE that was not there at first. False: it is not there yet, or cannot be read yet. */
bool il__server_late_answer(struct il__drive *drive);
/* Tells once what a run waits for that is kept open. */
void il__server_tell_wait(struct il__drive *drive);

/* The end of a run whose last decision was to look again: a successor that asks afresh is begun. False: none was. */
bool il__run_again(struct il__drive *drive);
/* Builds the host and starts the run, or takes it over. 0, or the exit status after the error was reported. */
int il__run_begin(struct il__drive *drive);
/* Moves the run until it ended or waits for what is not there. 0, or 8 after a report. */
int il__run_drive(struct il__drive *drive);
/* Gives back what a run that has not ended holds, and frees all. */
void il__run_leave(struct il__drive *drive);
/* The wall clock in ms, for the time that is left; 0 where --now set another. */
int64_t il__run_now(const struct il__drive *drive);
/* Prints the end: the result or what is waited for. The exit status. */
int il__run_show(struct il__drive *drive);

/* --ask: shows the wait and the question; then reads a line, waiting at most `timeout_ms`. False: leave it open. */
void il__ask_question(struct il__drive *drive);
bool il__ask_poll(struct il__drive *drive, int timeout_ms);
/* Delivers what was decided before; says why when it cannot be. */
void il__ask_deliver(struct il__drive *drive);

#endif
