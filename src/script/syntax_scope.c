/* Scopes of the parser (syntax_inside.h): which local a name is, where labels can be seen, after the manual §3.3.4 and
 * §3.5. */
#include "script/syntax_inside.h"

#include "base/error.h"

static uint32_t active_at(const struct il__parser *p, uint32_t at)
{
    return ((const uint32_t *)p->active.items)[at];
}

static struct il__syn_local *local_of(struct il__parser *p, uint32_t local)
{
    return &p->syntax->locals[local - 1];
}

/* The visible local of that name, or 0. */
static uint32_t find(struct il__parser *p, struct il_str name, uint32_t *index)
{
    for (uint32_t i = p->active.count; i > 0; i--) {
        if (!il__str_eq(local_of(p, active_at(p, i - 1))->name, name)) continue;
        if (index) *index = i - 1;
        return active_at(p, i - 1);
    }
    return 0;
}

void il__parser_open(struct il__parser *p, struct il__parser_block *block, bool loop)
{
    *block = (struct il__parser_block){ p->labels.count, p->gotos.count, p->active.count, loop, p->block };
    p->block = block;
}

/* Gotos that found no label here look in the block around; there they have jumped out of these locals. */
void il__parser_shut(struct il__parser *p, struct il__parser_block *block)
{
    struct il__parser_jump *gotos = p->gotos.items;
    p->labels.count = block->first_label;
    p->active.count = block->first_active;
    p->block = block->outer;
    for (uint32_t i = block->first_goto; i < p->gotos.count; i++)
        if (gotos[i].active > block->first_active) gotos[i].active = block->first_active;
    if (block->outer || p->gotos.count == block->first_goto) return;
    const struct il__syn *node = il__parser_at(p, gotos[block->first_goto].node);
    char name[64];
    il__escape(name, sizeof name, node->text);
    il__parser_fail(p, node->from, node->line, "", "there is no label `%s` that this goto can see", name);
}

uint32_t il__parser_define(struct il__parser *p, struct il_str name, enum il__syn_role role)
{
    struct il__syntax *s = p->syntax;
    uint32_t node = il__parser_node(p, IL__SYN_DEFINE);
    struct il__parser_list locals = { s->locals, s->local_count, s->local_cap };
    struct il__syn_local *local = il__parser_push(p, &locals, sizeof *local);
    s->locals = locals.items;
    s->local_count = locals.count;
    s->local_cap = locals.cap;
    if (!local) return 0;
    *local = (struct il__syn_local){ .name = name, .define = node, .function = p->function->node, .role = role };
    local->hides = find(p, name, NULL);
    il__parser_at(p, node)->text = name;
    il__parser_at(p, node)->local = s->local_count;
    return node;
}

void il__parser_activate(struct il__parser *p, uint32_t names)
{
    for (uint32_t at = il__parser_at(p, names)->first; at && !p->failed; at = il__parser_at(p, at)->next) {
        if (p->active.count - p->function->first_active >= IL__PARSER_LOCALS) {
            const struct il__syn *node = il__parser_at(p, at);
            il__parser_fail(p, node->from, node->line, "put some of them into a table",
                            "a function has at most %d locals", IL__PARSER_LOCALS);
            return;
        }
        uint32_t *slot = il__parser_push(p, &p->active, sizeof *slot);
        if (slot) *slot = il__parser_at(p, at)->local;
    }
}

void il__parser_resolve(struct il__parser *p, uint32_t name)
{
    struct il__syn *node = il__parser_at(p, name);
    uint32_t index = 0, local = find(p, node->text, &index);
    node->local = local;
    if (!local) return;
    local_of(p, local)->reads++;
    if (index < p->function->first_active) node->flags |= IL__SYN_UPVALUE;
}

void il__parser_written(struct il__parser *p, uint32_t at)
{
    struct il__syn *node = il__parser_at(p, at);
    if (node->kind != IL__SYN_NAME) return;
    node->flags |= IL__SYN_WRITTEN;
    if (!node->local) return;
    struct il__syn_local *local = local_of(p, node->local);
    local->reads--;
    local->writes++;
    if (!local->constant) return;
    char name[64];
    il__escape(name, sizeof name, node->text);
    il__parser_fail(p, node->from, node->line, "", "`%s` is a constant: nothing can be assigned to it", name);
}

void il__parser_label(struct il__parser *p, uint32_t label, bool last)
{
    const struct il__syn *node = il__parser_at(p, label);
    const struct il__parser_jump *labels = p->labels.items;
    for (uint32_t i = p->function->first_label; i < p->labels.count; i++) {
        if (!il__str_eq(il__parser_at(p, labels[i].node)->text, node->text)) continue;
        il__parser_fail(p, node->from, node->line, "", "there is a label of this name already");
        return;
    }
    uint32_t active = last ? p->block->first_active : p->active.count;
    struct il__parser_jump *slot = il__parser_push(p, &p->labels, sizeof *slot), *gotos = p->gotos.items;
    if (!slot) return;
    *slot = (struct il__parser_jump){ label, active };
    uint32_t kept = p->block->first_goto;
    for (uint32_t i = kept; i < p->gotos.count; i++) {
        const struct il__syn *from = il__parser_at(p, gotos[i].node);
        if (!il__str_eq(from->text, node->text)) gotos[kept++] = gotos[i];
        else if (gotos[i].active < active)
            il__parser_fail(p, from->from, from->line, "", "this goto jumps into the scope of a local");
    }
    p->gotos.count = kept;
}

void il__parser_goto(struct il__parser *p, uint32_t at)
{
    const struct il__parser_jump *labels = p->labels.items;
    for (uint32_t i = p->function->first_label; i < p->labels.count; i++)
        if (il__str_eq(il__parser_at(p, labels[i].node)->text, il__parser_at(p, at)->text)) return;
    struct il__parser_jump *slot = il__parser_push(p, &p->gotos, sizeof *slot);
    if (slot) *slot = (struct il__parser_jump){ at, p->active.count };
}

void il__parser_break(struct il__parser *p, uint32_t at)
{
    const struct il__syn *node = il__parser_at(p, at);
    for (const struct il__parser_block *b = p->block; b; b = b->outer)
        if (b->loop) return;
    il__parser_fail(p, node->from, node->line, "", "`break` stands in no loop");
}
