# Interlock. Out of tree: everything made lies under build/<variant>/. `make help` lists the targets.
#
#   make BUILD=debug|release|asan|cov|minimal   CC=gcc|clang   (default: release, gcc)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

BUILD ?= release
ifeq ($(origin CC),default)
CC := gcc
endif
V := build/$(BUILD)$(if $(findstring clang,$(CC)),-clang)

VERSION := $(shell sed -n 's/^\#define IL_VERSION "\(.*\)"/\1/p' src/include/interlock.h)
SOVERSION := 0

# ---- what is there ---------------------------------------------------------------------------------------------------

LAYERS := base wire contract check run store runtime script evidence host
# BUILD=minimal: the library without libcurl, SQLite, threads, command and Lua module. *_none.c stand in for what is left
# out, and are in no other build.
NONE_SRC := $(wildcard src/*/*_none.c)
WHOLE_SRC := $(sort $(filter-out $(NONE_SRC),$(wildcard $(LAYERS:%=src/%/*.c))))
MINIMAL_SRC := $(sort $(filter-out src/runtime/mcp_http% src/store/sqlite%,$(WHOLE_SRC)) $(NONE_SRC))
LIB_SRC := $(if $(filter minimal,$(BUILD)),$(MINIMAL_SRC),$(WHOLE_SRC))
CLI_SRC := $(sort $(wildcard src/cli/*.c))
MOD_SRC := $(sort $(wildcard src/luamod/*.c))
ifeq ($(BUILD),minimal)
CLI_SRC :=
MOD_SRC :=
endif
LUA_SRC := $(sort $(shell find lua -name '*.lua' 2>/dev/null))
UNIT_SRC := $(sort $(wildcard tests/unit/*_test.c))
HELP_SRC := $(filter-out $(UNIT_SRC),$(sort $(wildcard tests/unit/*.c)))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/*_fuzz.c))
TOOL_SRC := $(sort $(wildcard tests/tools/*.c))
CRASH_SRC := $(sort $(wildcard tests/crash/*.c))
BENCH_SRC := $(sort $(wildcard tests/bench/*_bench.c))
BENCH_HELP := $(filter-out $(BENCH_SRC),$(sort $(wildcard tests/bench/*.c)))

GEN := $(V)/gen/embedded.c
LIB_OBJ := $(LIB_SRC:%.c=$(V)/obj/%.o) $(V)/gen/embedded.o
CLI_OBJ := $(CLI_SRC:%.c=$(V)/obj/%.o)
MOD_OBJ := $(MOD_SRC:%.c=$(V)/obj/%.o)
HELP_OBJ := $(HELP_SRC:%.c=$(V)/obj/%.o)
UNIT_BIN := $(UNIT_SRC:%.c=$(V)/%)
FUZZ_BIN := $(FUZZ_SRC:%.c=$(V)/%)
TOOL_BIN := $(TOOL_SRC:%.c=$(V)/%)
CRASH_BIN := $(V)/tests/crash/crash
BENCH_BIN := $(BENCH_SRC:%.c=$(V)/%)

# ---- flags -----------------------------------------------------------------------------------------------------------

PKG_CONFIG ?= pkg-config
pkg = $(shell $(PKG_CONFIG) $(1) 2>/dev/null)

LIB_PKGS := libcrypto
LIB_PKGS += $(if $(shell grep -ls '<utf8proc\.h>' $(LIB_SRC) /dev/null),libutf8proc)
LIB_PKGS += $(if $(shell grep -ls '<curl/curl\.h>' $(LIB_SRC) /dev/null),libcurl)
LIB_PKGS += $(if $(shell grep -ls '<sqlite3\.h>' $(LIB_SRC) /dev/null),sqlite3)
LIB_LIBS := $(call pkg,--libs $(LIB_PKGS)) -lm
LUA_CFLAGS := $(call pkg,--cflags lua5.4)
LUA_ARCHIVE := $(call pkg,--variable=libdir lua5.4)/liblua5.4.a
TEST_LIBS := $(call pkg,--libs jansson)

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
	-Wno-format-nonliteral -Wundef -Wwrite-strings -Wimplicit-fallthrough -Werror
OPT_debug := -O0 -g3
OPT_release := -O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection
OPT_minimal := $(OPT_release)
OPT_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_cov := -O0 -g --coverage
ifeq ($(OPT_$(BUILD)),)
$(error BUILD=$(BUILD) is not one of debug, release, asan, cov, fuzz, minimal)
endif
THREADS := $(if $(filter minimal,$(BUILD)),,-pthread)
CPPFLAGS_ALL := -D_GNU_SOURCE -Isrc $(CPPFLAGS)
CFLAGS_ALL := -std=c11 $(WARN) -fPIC -fvisibility=hidden $(THREADS) $(OPT_$(BUILD)) $(CFLAGS)
LDFLAGS_ALL := $(filter -fsanitize% --coverage -fno-sanitize%,$(OPT_$(BUILD))) $(THREADS) -Wl,-z,relro,-z,now $(LDFLAGS)
# A shared object under a sanitizer takes the sanitizer's symbols from the program that loads it.
NO_UNDEFINED := $(if $(filter asan fuzz,$(BUILD)),,-Wl,-z,defs)

compile = $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(EXTRA) -MMD -MP -c -o $@ $<
say = @printf '  %-6s %s\n' '$(1)' '$(2)';

# ---- stamps: rewritten only when their text changes, so a changed flag or a removed file rebuilds ----------------------

stamp = @mkdir -p $(@D); printf '%s\n' '$(subst ','"'"',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','"'"',$(1))' >$@

$(V)/.flags: FORCE
	$(call stamp,$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(LIB_LIBS) $(LUA_CFLAGS) $(LUA_ARCHIVE) $(TEST_LIBS))
$(V)/.sources: FORCE
	$(call stamp,$(LIB_SRC) $(CLI_SRC) $(MOD_SRC) $(HELP_SRC))
$(V)/.scripts: FORCE
	$(call stamp,$(LUA_SRC))
FORCE:

# ---- products --------------------------------------------------------------------------------------------------------

PRODUCTS := $(V)/libinterlock.a $(V)/libinterlock.so $(if $(CLI_SRC),$(V)/interlock) $(if $(MOD_SRC),$(V)/lua/interlock.so)

all: $(PRODUCTS) ## Build library, command and Lua module into build/<variant>/ (BUILD=, CC=)

API_CFLAGS := -Isrc/include
$(V)/obj/src/script/%.o $(V)/obj/src/host/%.o $(V)/obj/tests/%.o: EXTRA = $(LUA_CFLAGS)
$(V)/obj/src/cli/%.o: EXTRA = $(API_CFLAGS)
$(V)/obj/src/luamod/%.o: EXTRA = $(LUA_CFLAGS) $(API_CFLAGS) -fvisibility=default
$(V)/obj/%.o: %.c $(V)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(compile)

$(GEN): tests/tools/embed.sh $(V)/.scripts $(LUA_SRC)
	@mkdir -p $(@D)
	$(call say,EMBED,$@)sh tests/tools/embed.sh $(LUA_SRC) >$@
$(V)/gen/embedded.o: $(GEN) $(V)/.flags
	$(call say,CC,$<)$(compile)

# The Lua inside: the distribution's static archive is no position-independent code, so its references to the C
# library's streams are renamed to ours (src/script/lua_stdio.c); what remains links into a shared object.
$(V)/liblua.a: $(V)/.flags
	$(call say,LUA,$@)rm -f $@; objcopy --redefine-sym stdout=il__lua_stdout --redefine-sym stderr=il__lua_stderr \
		--redefine-sym stdin=il__lua_stdin $(LUA_ARCHIVE) $@

# For tests: every internal symbol visible.
$(V)/libcore.a: $(LIB_OBJ) $(V)/.sources
	$(call say,AR,$@)rm -f $@; $(AR) rcs $@ $(LIB_OBJ)

# For everybody else: one object, in which only il_* is global. Two Luas in one process never meet.
$(V)/interlock.o: $(LIB_OBJ) $(V)/liblua.a $(V)/.sources
	$(call say,LD,$@)$(LD) -r -o $@.all $(LIB_OBJ) $(V)/liblua.a
	@objcopy --wildcard --keep-global-symbol='il_[!_]*' $@.all $@; rm -f $@.all
$(V)/libinterlock.a: $(V)/interlock.o
	$(call say,AR,$@)rm -f $@; $(AR) rcs $@ $<
$(V)/libinterlock.so.$(SOVERSION): $(V)/interlock.o src/libinterlock.map
	$(call say,LD,$@)$(CC) -shared $(LDFLAGS_ALL) $(NO_UNDEFINED) -Wl,-soname,$(@F) \
		-Wl,--version-script=src/libinterlock.map -o $@ $< $(LIB_LIBS)
$(V)/libinterlock.so: $(V)/libinterlock.so.$(SOVERSION)
	@ln -sf $(<F) $@
$(V)/interlock: $(CLI_OBJ) $(V)/libinterlock.a
	$(call say,LD,$@)$(CC) $(LDFLAGS_ALL) -o $@ $(CLI_OBJ) $(V)/libinterlock.a $(LIB_LIBS)
# lua_* here is the host's: undefined on purpose, bound when the host's Lua loads the module.
$(V)/lua/interlock.so: $(MOD_OBJ) $(V)/interlock.o src/luamod.map
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -shared $(LDFLAGS_ALL) -Wl,--version-script=src/luamod.map -o $@ $(MOD_OBJ) $(V)/interlock.o $(LIB_LIBS)

# ---- programs of the tests -------------------------------------------------------------------------------------------

TEST_LINK = $(call say,LD,$@)mkdir -p $(@D); $(CC) $(LDFLAGS_ALL) -o $@ $(filter %.o,$^) -Wl,--start-group $(V)/libcore.a $(V)/liblua.a -Wl,--end-group \
	$(LIB_LIBS) $(TEST_LIBS)
$(UNIT_BIN): $(V)/tests/unit/%: $(V)/obj/tests/unit/%.o $(HELP_OBJ) $(V)/libcore.a $(V)/liblua.a
	$(TEST_LINK)
$(FUZZ_BIN): $(V)/tests/fuzz/%: $(V)/obj/tests/fuzz/%.o $(V)/obj/tests/fuzz/corpus.o $(HELP_OBJ) $(V)/libcore.a $(V)/liblua.a
	$(TEST_LINK)
# What the shell cases drive the library with.
$(TOOL_BIN): $(V)/tests/tools/%: $(V)/obj/tests/tools/%.o $(V)/libcore.a $(V)/liblua.a
	$(TEST_LINK)
# Runs that are killed, raced for and counted: one program.
$(CRASH_BIN): $(CRASH_SRC:%.c=$(V)/obj/%.o) $(V)/libcore.a $(V)/liblua.a
	$(TEST_LINK)
# Driven by libFuzzer in place of the corpus player (CC=clang BUILD=fuzz).
FUZZ_LIVE := $(FUZZ_SRC:tests/fuzz/%.c=$(V)/live/%)
$(FUZZ_LIVE): $(V)/live/%: $(V)/obj/tests/fuzz/%.o $(V)/libcore.a $(V)/liblua.a
	$(TEST_LINK) -fsanitize=fuzzer
$(BENCH_BIN): $(V)/tests/bench/%: $(V)/obj/tests/bench/%.o $(BENCH_HELP:%.c=$(V)/obj/%.o) $(V)/libcore.a $(V)/liblua.a
	$(TEST_LINK)

programs: $(PRODUCTS) $(UNIT_BIN) $(FUZZ_BIN) $(TOOL_BIN) $(CRASH_BIN)

# ---- targets ---------------------------------------------------------------------------------------------------------

SUB := $(MAKE) --no-print-directory
JOBS ?= 2

run: ## Set up, build, and play the smallest example against the simulated runtime
	@tests/setup.sh run
	@$(SUB) -j$(JOBS) BUILD=release all
	@echo build/release/interlock run examples/minimal/action.json --runtime simulated
	@build/release/interlock run examples/minimal/action.json --runtime simulated || [ $$? -eq 5 ] # 5: done, unverified

test: ## Set up, then everything: lints, unit tests, fuzz corpora, specs, scenarios (S=suite T=name for less)
	@tests/setup.sh test
	@$(SUB) -j$(JOBS) BUILD=asan programs
	@BUILD=asan tests/run.sh $(S) $(T)

unit: ## Run the C unit tests under ASan and UBSan (T=name for one)
	@$(SUB) BUILD=asan unit-programs
	@BUILD=asan tests/run.sh unit $(T)
unit-programs: $(UNIT_BIN) $(FUZZ_BIN)

spec: ## Run the busted specs against the Lua module (T=name for one)
	@$(SUB) BUILD=asan all
	@BUILD=asan tests/run.sh spec $(T)

scenarios: ## Run the scenario files below tests/scenarios and examples
	@$(SUB) BUILD=asan all
	@BUILD=asan tests/run.sh scenarios

lint: ## Run the lints: structure, clang-tidy, cppcheck, luacheck, headers, symbols (T=name for one)
	@$(SUB) BUILD=asan programs
	@BUILD=asan tests/run.sh lint $(T)

check: ## The whole bar: test, clang, valgrind, optimized build, fuzzing, long runs
	@tests/setup.sh check
	@$(SUB) test
	@$(SUB) -j$(JOBS) BUILD=debug CC=clang programs
	@$(SUB) -j$(JOBS) BUILD=release programs
	@$(SUB) -j$(JOBS) BUILD=debug programs
	@$(SUB) determinism
	@DEEP=1 tests/run.sh lint tidy
	@LONG=1 BUILD=release tests/run.sh unit
	@BUILD=debug VALGRIND=1 tests/run.sh unit
	@$(SUB) fuzz
	@LONG=1 BUILD=release tests/run.sh fuzz
	@LONG=1 BUILD=release tests/run.sh shell
	@LONG=1 BUILD=release tests/run.sh spec property_spec

determinism: ## Compare verdict records of random policies byte for byte: two processes of a gcc and of a clang build
	@tests/setup.sh check
	@$(SUB) -j$(JOBS) BUILD=release build/release/tests/unit/policy_property_test
	@$(SUB) -j$(JOBS) BUILD=release CC=clang build/release-clang/tests/unit/policy_property_test
	@BUILDS="build/release build/release-clang" BUNDLES=1000 bash tests/build/determinism_test.sh

crash-matrix: ## Kill runs everywhere, go on with them in new processes; a table (EVERY=n: each n-th place; T=column)
	@tests/setup.sh test
	@$(SUB) -j$(JOBS) BUILD=release build/release/tests/crash/crash
	@build/release/tests/crash/crash matrix $(or $(EVERY),1) $(or $(EVERY),1) $(if $(T),"$(T)")

fuzz: ## Fuzz each target with libFuzzer for SECONDS (default 60; T=name for one)
	@tests/setup.sh check
	@$(SUB) -j$(JOBS) CC=clang BUILD=fuzz fuzz-programs
	@bash tests/fuzz/live.sh build/fuzz-clang $(or $(SECONDS),60) $(T)
fuzz-programs: $(FUZZ_LIVE)

cov: ## Run the unit tests with coverage; the table lands in build/cov/coverage.txt
	@$(SUB) -j$(JOBS) BUILD=cov programs
	@find build/cov -name '*.gcda' -delete
	@BUILD=cov tests/run.sh unit
	@bash tests/tools/coverage.sh build/cov | tee build/cov/coverage.txt

abi: ## Write down the binary interface anew (tests/build/abi.txt)
	@$(SUB) BUILD=release all
	@bash tests/build/abi.sh build/release/libinterlock.so >tests/build/abi.txt.new
	@mv tests/build/abi.txt.new tests/build/abi.txt

conformance: ## Run the client scenarios of the MCP conformance suite that this client has a part in
	@tests/setup.sh test
	@$(SUB) -j$(JOBS) BUILD=asan programs
	@BUILD=asan tests/run.sh shell conformance_test

bench: ## Measure; table on the screen, numbers in build/release/bench.json (T=name for one)
	@$(SUB) -j$(JOBS) BUILD=release bench-programs
	@bash tests/bench/run.sh build/release $(T)
bench-programs: $(BENCH_BIN) $(PRODUCTS)

# One stamp per file: a file is looked at again when it, a header of it or the settings changed. The analyzer's deep
# search takes five times as long: DEEP=1, as part of `make check`.
TIDY_DIR := $(V)/tidy$(if $(DEEP),-deep)
TIDY := $(patsubst %.c,$(TIDY_DIR)/%.ok,$(LIB_SRC) $(NONE_SRC) $(CLI_SRC) $(MOD_SRC))
TIDY_CFLAGS = -std=c11 $(CPPFLAGS_ALL) $(LUA_CFLAGS) $(API_CFLAGS) \
	$(if $(DEEP),,-Xclang -analyzer-config -Xclang mode=shallow)
tidy: $(TIDY)
$(TIDY_DIR)/%.ok: %.c $(V)/obj/%.o .clang-tidy
	@mkdir -p $(@D)
	@clang-tidy --quiet $< -- $(TIDY_CFLAGS) >$@.log 2>/dev/null && touch $@ || { cat $@.log; exit 1; }

# The minimal library as one C file and its header, for who builds it in their own tree.
DIST := build/dist
dist: ## Write the minimal library as build/dist/interlock.c and interlock.h
	@tests/setup.sh dist
	@$(SUB) BUILD=minimal $(DIST)/interlock.c
$(DIST)/interlock.c: tests/tools/amalgamate.lua $(LIB_SRC) $(wildcard src/*/*.h) $(GEN)
	@mkdir -p $(@D)
	$(call say,DIST,$@)lua5.4 tests/tools/amalgamate.lua $(VERSION) $(LIB_SRC) $(GEN) >$@.new && mv $@.new $@
	@cp src/include/interlock.h $(@D)/interlock.h

reference: all ## Write anew what is made from the tables of the bindings: stubs, luacheck's std, lua/REFERENCE.md
	@$(V)/interlock policy api --format luals >$(V)/made && cp $(V)/made lua/meta/interlock.lua
	@$(V)/interlock policy api --format luacheck >$(V)/made && cp $(V)/made lua/meta/luacheck.lua
	@$(V)/interlock policy api --format markdown >$(V)/made && cp $(V)/made lua/REFERENCE.md

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
COMP := src/cli/completion/interlock
MAN := $(wildcard src/cli/*.1)

install: all ## Install below PREFIX (default /usr/local), staged in DESTDIR
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(LIBDIR)/pkgconfig
	$(if $(CLI_SRC),install -m 755 $(V)/interlock $(DESTDIR)$(PREFIX)/bin/interlock)
	install -m 644 src/include/interlock.h $(DESTDIR)$(PREFIX)/include/interlock.h
	install -m 644 $(V)/libinterlock.a $(DESTDIR)$(LIBDIR)/libinterlock.a
	install -m 755 $(V)/libinterlock.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libinterlock.so.$(VERSION)
	ln -sf libinterlock.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libinterlock.so.$(SOVERSION)
	ln -sf libinterlock.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libinterlock.so
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$${prefix}/include' '' 'Name: interlock' \
		'Description: Policy host between an agent and the runtime that acts' 'Version: $(VERSION)' \
		'Libs: -L$${libdir} -linterlock' 'Requires.private: $(strip $(LIB_PKGS))' 'Libs.private: -lm -pthread' \
		'Cflags: -I$${includedir}' >$(DESTDIR)$(LIBDIR)/pkgconfig/interlock.pc
	$(if $(MOD_SRC),install -D -m 755 $(V)/lua/interlock.so $(DESTDIR)$(LIBDIR)/lua/5.4/interlock.so)
	$(if $(MAN),install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(MAN))
	$(if $(wildcard $(COMP).bash),install -D -m 644 $(COMP).bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/interlock)
	$(if $(wildcard $(COMP).zsh),install -D -m 644 $(COMP).zsh \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_interlock)
	$(if $(wildcard $(COMP).fish),install -D -m 644 $(COMP).fish \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/interlock.fish)

uninstall: ## Remove what install put there (same PREFIX and DESTDIR)
	rm -f $(DESTDIR)$(PREFIX)/bin/interlock $(DESTDIR)$(PREFIX)/include/interlock.h \
		$(DESTDIR)$(LIBDIR)/libinterlock.a $(DESTDIR)$(LIBDIR)/libinterlock.so \
		$(DESTDIR)$(LIBDIR)/libinterlock.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libinterlock.so.$(VERSION) \
		$(DESTDIR)$(LIBDIR)/pkgconfig/interlock.pc $(DESTDIR)$(LIBDIR)/lua/5.4/interlock.so \
		$(MAN:src/cli/%=$(DESTDIR)$(PREFIX)/share/man/man1/%) \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/interlock \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_interlock \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/interlock.fish

format: ## Break the lines of C that are wider than 120 columns (needs clang-format)
	@bash tests/tools/format.sh

clean: ## Remove build/
	rm -rf build

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@printf '\nVariables: BUILD=debug|release|asan|cov|minimal  CC=gcc|clang  JOBS=2  PREFIX= DESTDIR=\n'

.PHONY: all programs run test unit unit-programs spec scenarios lint check determinism crash-matrix fuzz fuzz-programs cov bench bench-programs tidy dist abi reference \
	install uninstall format clean help FORCE
.SECONDARY:

-include $(wildcard $(V)/obj/*/*.d $(V)/obj/*/*/*.d $(V)/gen/*.d)
