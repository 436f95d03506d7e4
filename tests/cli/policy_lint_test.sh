# Mistakes of new authors, found by `interlock policy lint`: text, JSON and SARIF; `interlock policy api`.
. "$(dirname "$0")/lib.sh"

bundle() { # a bundle in $T/b whose policy is on standard input
    mkdir -p "$T/b"
    cat >"$T/b/p.lua"
    cat >"$T/b/bundle.json" <<'END'
{ "name": "b", "version": "1", "requires": 1, "policies": [ { "file": "p.lua", "level": "hard" } ] }
END
}

# ---- lint

run policy lint
ends 2 'lint of nothing'
run policy lint nowhere
ends 2 'lint of a folder that is not there'
has "$err" nowhere 'lint of a folder that is not there: which'
run policy lint policies/office-hours policies/two-person
ends 0 'lint of good bundles'
has "$out" 'nothing found' 'lint of good bundles says so'
run policy lint --policy policies/office-hours
ends 0 'lint of --policy'
run policy lint policies examples
ends 0 'lint of folders that hold bundles: all that is shipped'
mkdir -p "$T/team/deep/bad" "$T/team/none" && cp policies/cool-down/* "$T/team/"
echo '{' >"$T/team/deep/bad/bundle.json"
rm "$T/team/bundle.json"
run policy lint "$T/team"
ends 1 'lint of a folder finds what is deep in it'
has "$out" "$T/team/deep/bad/bundle.json" 'lint of a folder: in which bundle'
lacks "$out" "$T/team/bundle.json" 'lint of a folder: it is none itself'
run policy lint "$T/team/none"
ends 3 'lint of a folder without a bundle'
has "$err" bundle.json 'lint of a folder without a bundle: what is missing'

bundle <<'END'
local policy = require "interlock.policy"
return policy {
  name = "b",
  preview = function(action, ctx)
    if action.tool = "x" then return end
  end,
}
END
run policy lint "$T/b"
ends 1 'a source that is no Lua'
has "$out" "$T/b/p.lua:5:20: error: \`=\` sets a variable, it does not compare; write \`==\` to compare [syntax]" \
    'a source that is no Lua: place, mistake, and what to write'

bundle <<'END'
local policy = require "interlock.policy"
return policy {
  name = "b",
  propose = function(action, ctx)
    if ctx.route == "allowed" then policy.deny("x") end
    if action.tol == "a" then return policy.ask("x") end
  end,
}
END
run policy lint "$T/b"
ends 1 'three mistakes'
has "$out" 'p.lua:5:12: error: ctx has no `route` in phase propose; it is there in preview, approve and execute' \
    'a phase'
has "$out" 'p.lua:5:36: error: this verdict is made and dropped' 'a verdict'
has "$out" 'p.lua:6:15: error: action has no member `tol`; did you mean `tool`? [unknown-field]' 'a typo'
has "$out" '3 errors, 0 warnings' 'the sum'
run policy lint "$T/b" policies/office-hours --format json
ends 1 'findings as JSON'
json "d.errors == 3 and d.warnings == 0 and d.ok == false and d.more == 0 and #d.findings == 3" 'JSON: the sum'
json "d.findings[3].rule == 'unknown-field' and d.findings[3].line == 6 and d.findings[3].column == 15 and
    d.findings[3].endColumn == 18 and d.findings[3].file == '$T/b/p.lua' and d.findings[3].severity == 'error' and
    d.findings[3].fix == 'did you mean \`tool\`?'" 'JSON: a finding'
run policy lint "$T/b" --format sarif
ends 1 'findings as SARIF'
json "d.version == '2.1.0' and d['\$schema']:find('sarif%-2.1.0') and #d.runs == 1" 'SARIF: the version'
json "d.runs[1].tool.driver.name == 'interlock policy lint' and d.runs[1].columnKind == 'unicodeCodePoints'" \
    'SARIF: the tool'
json "(function()
    local run = d.runs[1]
    if #run.results ~= 3 then return false end
    for _, r in ipairs(run.results) do
        local place = r.locations[1].physicalLocation
        if run.tool.driver.rules[r.ruleIndex + 1].id ~= r.ruleId or #r.message.text == 0 or r.level ~= 'error' or
            #place.artifactLocation.uri == 0 or place.region.startLine < 1 or place.region.startColumn < 1 or
            place.region.endLine < place.region.startLine then return false end
    end
    return true
end)()" 'SARIF: every result has a rule, a level, a message and a place'
json "(function()
    for _, r in ipairs(d.runs[1].tool.driver.rules) do
        if #r.id == 0 or #r.shortDescription.text == 0 or not r.defaultConfiguration.level then return false end
    end
    return #d.runs[1].tool.driver.rules > 20
end)()" 'SARIF: every rule says what it finds'
mkdir -p "$T/a b" && cp "$T/b/"* "$T/a b"
run policy lint "$T/a b" --format sarif
has "$out" '/a%20b/p.lua' 'SARIF: a path is a URI'
run policy lint policies/office-hours --format sarif
ends 0 'SARIF of a good bundle'
json "#d.runs[1].results == 0" 'SARIF of a good bundle has no result'

# ---- api

run policy api
ends 0 'the reference'
has "$out" '# Reference of the script API' 'the reference is a page'
run policy api --format luals
ends 0 'stubs'
has "$out" '---@class interlock.CtxExecute : interlock.Ctx' 'stubs: a context for each phase'
printf '%s\n' "$out" >"$T/stubs.lua"
lua5.4 -e 'assert(loadfile(arg[1]))' "$T/stubs.lua"
ok $? 'stubs are Lua'
run policy api --format luacheck
ends 0 'a configuration of luacheck'
printf '%s\n' "$out" >"$T/luacheckrc"
printf 'print(os.time(), string.upper("x"), json.null)\n' >"$T/x.lua"
out=$(luacheck --no-color --config "$T/luacheckrc" "$T/x.lua")
has "$out" "accessing undefined variable 'os'" 'luacheck takes it'
has "$out" '1 warning / 0 errors' 'luacheck finds nothing else'
run policy api --format json
ends 0 'the reference as JSON'
json "#d.objects >= 6 and #d.views > 15 and #d.globals.string == 13" 'JSON: objects, views, globals'
run policy api --format yaml
ends 2 'a form that is none'
run policy api x
ends 2 'api with an operand'
done_testing
