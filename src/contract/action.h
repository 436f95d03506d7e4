/* What is asked for and what the runtime makes of it: the proposal, and the preview with its envelope, policy decision
 * and capability (SPEC §2). Uses the schema engine. Decoded objects prove shape only: nothing here says that an
 * envelope belongs to a proposal (that is src/check). */
#ifndef IL_CONTRACT_ACTION_H
#define IL_CONTRACT_ACTION_H

#include "contract/postcondition.h"
#include "contract/schema.h"
#include "contract/target.h"

enum il__mode { IL__MODE_SHADOW, IL__MODE_BACKGROUND, IL__MODE_FOREGROUND, IL__MODE_COUNT };
extern const char *const il__mode_names[]; /* by enum il__mode, NULL at the end; so are all such tables */

enum il__class {
    IL__CLASS_OBSERVE, IL__CLASS_NAVIGATE, IL__CLASS_EDIT_REVERSIBLE, IL__CLASS_COMMUNICATE_EXTERNAL,
    IL__CLASS_AUTHENTICATION, IL__CLASS_FINANCIAL, IL__CLASS_DESTRUCTIVE, IL__CLASS_PRIVILEGE_CHANGE,
    IL__CLASS_SECRET_ACCESS, IL__CLASS_COUNT
};
extern const char *const il__class_names[];

struct il__provenance {
    bool untrusted_instruction;
    struct il__strs source_observation_ids;
    struct il__opt_bool crosses_data_boundary;
};
extern const struct il__schema il__provenance_schema;

struct il__resource {
    struct il_str target_app_id;
    struct il__window_id target_window_id;
    struct il_str filesystem_path, filesystem_destination, registry_path, process_name;
    struct il__opt_int process_id;
    struct il_str browser_domain;
};
extern const struct il__schema il__resource_schema;

/* Closed; a member that is not listed is `invalid_request`, naming it. */
struct il__proposal {
    struct il_str tool;
    struct il_str operation;    /* absent: the tool itself */
    struct il__any arguments;   /* always an object; absent in the document: an empty one */
    int mode;                   /* enum il__mode; absent in the document: background */
    const struct il__target *target;
    const struct il__postcondition *postcondition;
    struct il__strs data_labels; /* items NULL: absent */
    const struct il__provenance *provenance;
};
extern const struct il__schema il__proposal_schema;

struct il__policy_decision {
    struct il_str decision;      /* "allow", "confirm", "deny", or what the runtime made up */
    struct il_str policy_digest; /* never empty */
    struct il__strs reasons;
    struct il_str grant_id;
};
extern const struct il__schema il__policy_decision_schema;

struct il__capability {
    struct il_str app_id, operation, backend;
    struct il__strs supported_modes; /* each one of il__mode_names */
    struct il_str interference;
    double confidence; /* 0..1 */
    struct il_str verified_at, verification_source;
};
extern const struct il__schema il__capability_schema;

struct il__envelope {
    struct il_str action_id, session_id, execution_group_id, principal_id, agent_id, tool, operation;
    int action_class;   /* enum il__class */
    int requested_mode; /* enum il__mode */
    const struct il__target *target;
    const struct il__sensitivity *target_sensitivity;
    const struct il__resource *resource;
    const struct il__provenance *provenance;
    struct il__strs data_labels;
    const struct il__postcondition *postcondition;
    bool reversible, external_side_effect;
    struct il_str proposed_at, expires_at, args_digest;
};
extern const struct il__schema il__envelope_schema;

struct il__preview {
    const struct il__envelope *envelope;
    struct il__any envelope_raw; /* the envelope's node in the document, with the members that we do not know */
    bool executable;
    struct il_str blocker;
    const struct il__policy_decision *policy;
    const struct il__capability *capability;
};
extern const struct il__schema il__preview_schema;

#endif
