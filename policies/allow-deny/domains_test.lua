-- The list of domains: hosts in canonical form, as a browser would go to them.

local function go(url) return { tool = "open_url", arguments = { url = url } } end

local function case(name, action, params, expect)
  return { name = name, action = action, params = params, expect = expect }
end

local function denied(code)
  return { verdict = "deny", policy = "allow-deny/domains", phase = "preview", code = code }
end

local ours = { allow_domains = { "example.org", "*.example.org" } }
local no_evil = { deny_domains = { "evil.example", "*.evil.example" } }

return {
  case("without lists every domain is fine", go "https://evil.example/", {}, "none"),
  case("a domain on the allow list", go "https://example.org/a?b#c", ours, "none"),
  case("one below it", go "https://www.example.org:8443/", ours, "none"),
  case("a bare host", go "example.org", ours, "none"),
  case("in another case, with a dot at the end", go "https://EXAMPLE.org./", ours, "none"),
  case("one that only ends alike", go "https://notexample.org/", ours, denied "domain_not_allowed"),
  case("one that only begins alike", go "https://example.org.evil.example/", ours, denied "domain_not_allowed"),
  case("the name before an @ is no host", go "https://example.org@evil.example/", ours, denied "domain_not_allowed"),
  case("a back slash is a slash", go "https://evil.example\\@example.org/", ours, denied "domain_not_allowed"),
  case("a name alone does not allow those below it", go "https://www.example.org/",
    { allow_domains = { "example.org" } },
    denied "domain_not_allowed"),

  case("a domain on the deny list", go "http://evil.example", no_evil, denied "domain_denied"),
  case("one below it, in any case", go "http://A.Evil.EXAMPLE/", no_evil, denied "domain_denied"),
  case("in a member that ends so", { tool = "x", arguments = { startUrl = "http://evil.example" } }, no_evil,
    denied "domain_denied"),
  case("another one", go "http://good.example/", no_evil, "none"),
  case("deny wins over allow", go "http://x.example.org",
    { allow_domains = { "*.example.org" }, deny_domains = { "x.example.org" } }, denied "domain_denied"),

  case("letters of another script cannot be told", go "https://ex\u{430}mple.org/", ours, denied "domain_unreadable"),
  case("what has no host cannot be read", go "javascript:alert(1)", ours, denied "domain_unreadable"),
  case("nor a number", go(7), ours, denied "domain_unreadable"),
  case("an address by number is no name", go "http://2130706433/", ours, denied "domain_not_allowed"),
  case("deep in the arguments", { tool = "x", arguments = { tabs = { { Host = "evil.example" } } } }, no_evil,
    denied "domain_denied"),
  case("the runtime knows where the browser is",
    { tool = "left_click", resource = { browser_domain = "evil.example" } }, no_evil, denied "domain_denied"),
  case("no domain at all", { tool = "left_click", resource = {} }, ours, "none"),
  case("of which the runtime says nothing", { tool = "left_click" }, ours, "none"),
  case("other members can be named", { tool = "x", arguments = { href = "http://evil.example" } },
    { deny_domains = { "evil.example" }, domain_members = { "href" } }, denied "domain_denied"),
  case("a pattern that is none is an error", { tool = "x" }, { deny_domains = { "*evil.example" } }, "error"),
  case("in the allow list, too", { tool = "x" }, { allow_domains = { "" } }, "error"),
}
