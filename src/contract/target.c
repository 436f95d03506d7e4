/* The rows of target and sensitivity, and the rules of a sensitivity. Uses the schema engine. */
#include "contract/target.h"

#include "contract/rows.h"

static const struct il__field bounds_fields[] = {
    IL__NUM_ROW(il__bounds, x, "x", 0, 0, 0, "Left edge."),
    IL__NUM_ROW(il__bounds, y, "y", 0, 0, 0, "Upper edge."),
    IL__NUM_ROW(il__bounds, width, "width", 0, 0, 0, "Width."),
    IL__NUM_ROW(il__bounds, height, "height", 0, 0, 0, "Height."),
    IL__END_ROW,
};
const struct il__schema il__bounds_schema = {
    .object = "target bounds", .size = sizeof(struct il__bounds), .fields = bounds_fields,
};

static const struct il__field target_fields[] = {
    IL__STR_ROW(il__target, platform, "platform", 0, "The system the target is on."),
    IL__STR_ROW(il__target, app_id, "appId", 0, "The application."),
    IL__U32_ROW(il__target, pid, "pid", IL__F_OPT, "Its process."),
    IL__WINDOW_ROW(il__target, window_id, "windowId", IL__F_OPT, "Its window: a text or a number, told apart."),
    IL__STR_ROW(il__target, window_title_digest, "windowTitleDigest", IL__F_OPT, "Digest of the window's title."),
    IL__STR_ROW(il__target, display_id, "displayId", IL__F_OPT, "The display the window is on."),
    IL__STR_ROW(il__target, role, "role", IL__F_OPT, "The role of the element."),
    IL__STR_ROW(il__target, label_digest, "labelDigest", IL__F_OPT, "Digest of the element's label."),
    IL__OBJECT_ROW(il__target, bounds, "bounds", IL__F_OPT, il__bounds_schema, "Where the element stands."),
    IL__STR_ROW(il__target, observation_id, "observationId", IL__F_NONEMPTY, "The observation it was seen in."),
    IL__STR_ROW(il__target, screenshot_hash, "screenshotHash", IL__F_OPT, "Digest of the screenshot."),
    IL__STR_ROW(il__target, ui_tree_revision, "uiTreeRevision", IL__F_OPT,
                "The revision of the tree it was seen in."),
    IL__NUM_ROW(il__target, confidence, "confidence", 0, 0, 1, "How sure the observer is, from 0 to 1."),
    IL__STR_ROW(il__target, captured_at, "capturedAt", IL__F_NONEMPTY | IL__F_TIME, "When it was seen."),
    IL__END_ROW,
};
const struct il__schema il__target_schema = {
    .object = "target evidence", .size = sizeof(struct il__target), .fields = target_fields,
};

const char *const il__assessment_names[] = { "sensitive", "non_sensitive", "unknown", NULL };
IL__NAMES_MATCH(il__assessment_names, IL__ASSESSMENT_COUNT);
const char *const il__sensitivity_source_names[] = { "accessibility", "unavailable", NULL };
IL__NAMES_MATCH(il__sensitivity_source_names, IL__SOURCE_COUNT);
const char *const il__signal_names[] = { "secure_role", "secure_subrole", "protected_content", "uia_is_password",
                                         "sensitive_label", "ambiguous_match", "element_not_found",
                                         "inspection_error", "invalid_field", "native_signal_unavailable", NULL };
IL__NAMES_MATCH(il__signal_names, 10);

/* True when nothing but white space stands in `s` (Unicode White_Space, in UTF-8). */
static bool is_blank(struct il_str s)
{
    static const char *const wide[] = { "\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9",
                                        "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80" };
    size_t i = 0;
    while (i < s.len) {
        unsigned char c = (unsigned char)s.ptr[i];
        size_t step = c == ' ' || (c >= 9 && c <= 13) ? 1 : 0;
        for (size_t k = 0; !step && k < sizeof(wide) / sizeof(wide[0]); k++) {
            size_t n = strlen(wide[k]);
            if (s.len - i >= n && memcmp(s.ptr + i, wide[k], n) == 0) step = n;
        }
        /* U+2000 to U+200A */
        if (!step && s.len - i >= 3 && memcmp(s.ptr + i, "\xE2\x80", 2) == 0 && (unsigned char)s.ptr[i + 2] <= 0x8A)
            step = 3;
        if (!step) return false;
        i += step;
    }
    return true;
}

static enum il_code sensitivity_rules(const void *obj, const struct il__where *where)
{
    const struct il__sensitivity *s = obj;
    if (is_blank(s->observed_at))
        return il__broken(where, IL_DECODE, "observedAt", "a text that is not blank", "a blank one");
    if (s->assessment == IL__ASSESSMENT_UNKNOWN) return IL_OK;
    if (s->source != IL__SOURCE_ACCESSIBILITY)
        return il__broken(where, IL_DECODE, "source", "accessibility, for a conclusive assessment", "unavailable");
    if (s->fields_checked < 1)
        return il__broken(where, IL_DECODE, "fieldsChecked", "at least 1, for a conclusive assessment", "0");
    if (s->assessment == IL__ASSESSMENT_SENSITIVE && s->signals.count == 0)
        return il__broken(where, IL_DECODE, "signals", "a signal, for the assessment sensitive", "none");
    return IL_OK;
}

static const struct il__field sensitivity_fields[] = {
    IL__ENUM_ROW(il__sensitivity, assessment, "assessment", 0, il__assessment_names, "Whether it holds secrets."),
    IL__ENUM_ROW(il__sensitivity, source, "source", 0, il__sensitivity_source_names, "What the assessment rests on."),
    IL__ROW(il__sensitivity, signals, "signals", IL__F_ENUMS, IL__F_UNIQUE, NULL, il__signal_names, 0, 10,
            "What was noticed."),
    IL__INT_ROW(il__sensitivity, fields_checked, "fieldsChecked", 0, 0, 100, "How many fields were looked at."),
    IL__STR_ROW(il__sensitivity, observed_at, "observedAt", IL__F_NONEMPTY | IL__F_TIME, "When that was."),
    IL__END_ROW,
};
const struct il__schema il__sensitivity_schema = {
    .object = "target sensitivity", .size = sizeof(struct il__sensitivity), .closed = true,
    .fields = sensitivity_fields, .rules = sensitivity_rules,
};
