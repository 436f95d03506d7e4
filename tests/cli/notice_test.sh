# The notice of a run that waits: over HTTPS, with ids and counts alone, and whatever becomes of it, the run goes on.
. "$(dirname "$0")/lib.sh"
printf '{"tool":"write_clipboard","arguments":{"ask":true,"text":"a secret of the action"}}\n' >"$T/action.json"
W=(run "$T/action.json" --runtime "$D/runtime.lua" --policy "$D/hours" --store "$T/runs.db" --format json)
command -v python3 >/dev/null || {
    echo '1..0 # SKIP python3 is not installed'
    exit 0
}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout "$T/key.pem" \
    -out "$T/cert.pem" -subj /CN=here -addext subjectAltName=IP:127.0.0.1 2>"$T/openssl"
# A server that keeps what is posted, and answers 204, or 302 to /moved, or 500 to /broken.
cat >"$T/server.py" <<'END'
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(sys.argv[1] + "/posted", "ab") as out:
            out.write(self.path.encode() + b" " + body + b"\n")
        self.send_response({"/moved": 302, "/broken": 500}.get(self.path, 204))
        if self.path == "/moved": self.send_header("Location", "/elsewhere")
        self.end_headers()
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1] + "/cert.pem", sys.argv[1] + "/key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 "$T/server.py" "$T" >"$T/port" 2>"$T/server.err" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$T"' EXIT
for _ in $(seq 50); do [ -s "$T/port" ] && break; sleep 0.1; done
url=https://127.0.0.1:$(cat "$T/port")
posted() { cat "$T/posted" 2>/dev/null; }

run "${W[@]}" --notify "$url/hook" --notify-ca "$T/cert.pem"
ends 4 'a run that waits'
[ -z "$err" ]; ok $? 'the notice is taken without a word'
id=$(printf '%s' "$out" | sed 's/.*"runId":"\([^"]*\).*/\1/')
request=$(printf '%s' "$out" | sed 's/.*"requestId":"\([^"]*\).*/\1/')
has "$(posted)" "/hook {\"event\":\"waiting\",\"store\":\"" 'it is posted'
has "$(posted)" "\"runId\":\"$id\",\"needs\":1,\"expiresInMs\":" 'with the run and counts'
lacks "$(posted)" secret 'nothing of the arguments'
lacks "$(posted)" write_clipboard 'nor the tool'
lacks "$(posted)" "$request" 'nor the request, which answers it'
[ "$(wc -l <"$T/posted")" -eq 1 ]; ok $? 'once'
run "${W[@]}" --notify "$url/hook"
ends 4 'an authority that nobody trusts'
has "$err" 'the notice was not taken' 'is said, and changes nothing'
run "${W[@]}" --notify "$url/moved" --notify-ca "$T/cert.pem"
ends 4 'an address that has moved'
has "$err" 'it answered 302' 'is not followed'
run "${W[@]}" --notify "$url/broken" --notify-ca "$T/cert.pem"
has "$err" 'it answered 500' 'nor a failure hidden'
run "${W[@]}" --notify https://127.0.0.1:1/ --notify-ca "$T/cert.pem"
ends 4 'nobody there'
lacks "$(posted)" elsewhere 'no redirect was followed'
run run "$D/../data/none.json" --runtime simulated --notify http://127.0.0.1/
ends 2 'no plain HTTP'
run run "$T/action.json" --runtime simulated --notify https://me:word@127.0.0.1/
ends 2 'no password in the address'
run run "$T/action.json" --runtime simulated --notify-ca "$T/cert.pem"
ends 2 'an authority for no notice'
done_testing
