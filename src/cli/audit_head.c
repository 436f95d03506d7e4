/* `interlock audit head`: signs a head of the store and hands it to the witness: a file that it only ever appends to,
 * and waits for the disk. Must never say that a head is witnessed that is not in the file. */
#include "cli/audit.h"
#include "cli/evidence.h"
#include "cli/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One write of a whole line, so that two who append at once do not mix theirs. 0, or an errno. */
static int append(const char *path, const struct il__text *line)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0) return errno;
    ssize_t wrote = write(fd, line->ptr, line->len);
    int why = wrote < 0 ? errno : (size_t)wrote != line->len ? ENOSPC : 0;
    /* What is no file on a disk (a pipe to another machine) has no disk to wait for. */
    if (why == 0 && fsync(fd) != 0 && errno != EINVAL && errno != EROFS) why = errno;
    if (close(fd) != 0 && why == 0) why = errno;
    return why;
}

static int hand_out(struct il__audit_job *job, const struct il_text *head)
{
    const char *path = il__args_value(job->args, "witness");
    const struct il__text *text = &job->witness.text;
    struct il__text line = IL__TEXT_INIT;
    int status = 0, why = 0;
    /* A file that ends within a line is first brought to its end. */
    bool cut = text->len && text->ptr[text->len - 1] != '\n';
    il__text_puts(&line, cut && path ? "\n" : "");
    il__text_str(&line, il__evidence_str(head));
    il__text_puts(&line, "\n");
    if (line.failed) {
        status = 8;
        il__io_error(job->io, "out of memory");
    } else if (path && (why = append(path, &line)) != 0) {
        status = 8;
        il__io_error(job->io, "--witness %s: %s; the head stands in the store and is not witnessed", path,
                     strerror(why));
    } else {
        il__out_write(&job->io->out, il__evidence_str(head));
        il__out_puts(&job->io->out, "\n");
        if (!path)
            il__io_note(job->io, "keep this line where the store's owner cannot change it, or use --witness FILE");
    }
    il__text_clear(&line);
    return status;
}

int il__audit_head(struct il__audit_job *job)
{
    struct il_text key = IL_TEXT_INIT, head = IL_TEXT_INIT;
    struct il_error err = IL_ERROR_INIT;
    const char *signer = il__args_value(job->args, "signer");
    if (!signer) {
        il__io_error(job->io, "--signer FILE is missing: the private key that signs; 'interlock key new FILE' makes "
                              "one");
        return 2;
    }
    int status = il__evidence_private_key(job->io, job->json, signer, &key);
    if (status == 0) status = il__audit_open(job, true);
    if (status == 0) {
        const struct il_audit_options options = il__audit_options_of(job, NULL);
        enum il_code code = il_audit_head(job->store, il__evidence_str(&key), &options, NULL, NULL, &head, &err);
        status = code == IL_OK ? hand_out(job, &head) : il__audit_refuse(job, &err);
    }
    il_text_clear(&head);
    il_text_clear(&key);
    return status;
}
