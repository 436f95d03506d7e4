/* The kill switch is the place that was named, wherever the process goes afterwards, and whatever lies there. */
#include "host/host.h"
#include "tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static il_host *open_host(const char *path)
{
    struct il_host_options options = IL_HOST_OPTIONS_INIT;
    struct il_error err = IL_ERROR_INIT;
    il_host *host = NULL;
    options.kill_switch = (struct il_str){ path, strlen(path) };
    if (il_host_new(&options, &host, &err)) {
        printf("Bail out! %s\n", err.message);
        exit(1);
    }
    return host;
}

static bool is_on(il_host *host)
{
    struct il_error err = IL_ERROR_INIT;
    return il_host_check_kill_switch(host, &err) == IL_CANCELLED;
}

static void make_file(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    if (fd >= 0) close(fd);
}

static void test_other_folder(void)
{
    il_host *host = open_host("stop"), *other = open_host("./below/../stop");
    tap_ok(!is_on(host) && !is_on(other), "off");
    make_file("stop");
    tap_ok(is_on(host) && is_on(other), "on");
    tap_ok(chdir("/") == 0 && is_on(host) && is_on(other), "still on when the process works in another folder");
    il_host_free(host);
    il_host_free(other);
}

static void test_slash(const char *dir)
{
    char link[200], with[202];
    snprintf(link, sizeof link, "%s/link", dir);
    snprintf(with, sizeof with, "%s//", link);
    il_host *host = open_host(with);
    tap_ok(!is_on(host), "a name that ends in slashes");
    tap_ok(symlink("/nowhere/at/all", link) == 0 && is_on(host), "a link that leads nowhere is there all the same");
    unlink(link);
    make_file(link);
    tap_ok(is_on(host), "and so is a file");
    unlink(link);
    tap_ok(mkdir(link, 0700) == 0 && is_on(host), "or a folder");
    rmdir(link);
    tap_ok(!is_on(host), "off again");
    tap_ok(symlink("link", link) == 0 && is_on(host), "a link that leads to itself");
    unlink(link);
    il_host_free(host);
    host = open_host("/");
    tap_ok(is_on(host), "the root is there");
    il_host_free(host);
}

int main(void)
{
    char dir[] = "/tmp/interlock-kill-XXXXXX", path[200];
    if (!mkdtemp(dir) || chdir(dir)) return 1;
    snprintf(path, sizeof path, "%s/below", dir);
    if (mkdir(path, 0700)) return 1;
    test_other_folder();
    test_slash(dir);
    rmdir(path);
    snprintf(path, sizeof path, "%s/stop", dir);
    unlink(path);
    rmdir(dir);
    return tap_done();
}
