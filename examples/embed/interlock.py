"""libinterlock for Python's ctypes: the structs of interlock.h that a small host needs, and its functions. Texts that
the library hands out are copied at once; those handed in live as long as the call."""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint32, \
    c_uint64, c_void_p, sizeof


class Str(Structure):
    _fields_ = [("ptr", c_char_p), ("len", c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.ptr, self.len).decode("utf-8", "replace") if self.ptr else ""


def text(value):
    data = value.encode()
    return Str(data, len(data))


class Error(Structure):
    _fields_ = [("code", c_int), ("step", c_char * 32), ("object", c_char * 32), ("field", c_char * 192),
                ("expected", c_char * 160), ("actual", c_char * 160), ("message", c_char * 400),
                ("cleanup_code", c_int), ("cleanup_step", c_char * 32), ("cleanup_message", c_char * 240)]


class Request(Structure):
    _fields_ = [("size", c_size_t), ("op", c_int), ("token", c_uint64), ("timeout_ms", c_uint32), ("run_id", Str),
                ("session_id", Str), ("body", Str)]


BEGIN = CFUNCTYPE(c_int, c_void_p, POINTER(Request), POINTER(Error))


class Runtime(Structure):
    _fields_ = [("size", c_size_t), ("kind", c_char_p), ("address", c_char_p), ("ops", c_uint32), ("begin", BEGIN),
                ("cancel", c_void_p), ("ctx", c_void_p), ("retain", c_void_p)]


class HostOptions(Structure):
    _fields_ = [("size", c_size_t), ("callbacks", c_void_p * 12), ("memory_bytes", c_size_t), ("numbers", c_uint32 * 8),
                ("flags", c_bool * 3), ("host_name", Str), ("boot_id", Str), ("kill_switch", Str)]


class RunOptions(Structure):
    _fields_ = [("size", c_size_t), ("proposal", Str), ("principal", Str), ("tenant", Str), ("scopes", POINTER(Str)),
                ("scope_count", c_size_t), ("session_id", Str), ("agent_id", Str), ("execution_group_id", Str),
                ("workflow_name", Str), ("workflow_source", Str), ("identity_expires_at", Str), ("identity_token", Str)]


class Tick(Structure):
    _fields_ = [("size", c_size_t), ("moving", c_uint32), ("queued", c_uint32), ("waiting", c_uint32),
                ("in_flight", c_uint32), ("more", c_bool), ("next_deadline_ms", c_int64)]


QUEUED, MOVING, WAITING, ENDED = range(4)


def new(kind, **members):
    """A struct of options: its size is what the header's _INIT says."""
    return kind(size=sizeof(kind), **members)


class Refused(Exception):
    pass


class Library:
    """Each function raises Refused with the library's own message in place of a code."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.il_code_name.restype = self.lib.il_op_name.restype = c_char_p
        self.lib.il_host_complete.argtypes = [c_void_p, c_uint64, Str, POINTER(Error)]

    def __getattr__(self, name):
        function = getattr(self.lib, "il_" + name)

        def call(*arguments):
            err = Error()
            code = function(*arguments, byref(err))
            if code:
                raise Refused(f"{self.lib.il_code_name(code).decode()}: {err.message.decode()}")
        return call

    def op_name(self, op):
        return self.lib.il_op_name(op).decode()

    def run_state(self, run):
        return self.lib.il_run_state(run)

    def host_free(self, host):
        self.lib.il_host_free(host)
