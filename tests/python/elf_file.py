"""What the linker left in an ELF file, for 64-bit little-endian ones: ElfFile(path).segments, .dynamic, .imports, .features.

missing_hardening("program", file) tells what of the hardening (cmake/NextstatHardening.cmake) is not there.
"""

import re
import struct

SHARED = 3  # e_type
X86_64 = 62  # e_machine
LOAD, INTERPRETER, STACK, RELRO = 1, 3, 0x6474E551, 0x6474E552  # p_type
RUNS, WRITES = 1, 2  # p_flags
FLAGS, FLAGS_1 = 30, 0x6FFFFFFB  # tags of the dynamic section
BIND_NOW, NOW, PIE = 8, 1, 0x08000000  # DF_BIND_NOW of FLAGS; DF_1_NOW and DF_1_PIE of FLAGS_1
IBT, SHSTK = 1, 2  # GNU_PROPERTY_X86_FEATURE_1_AND
_DYNAMIC, _NOTE, _DYNAMIC_SYMBOLS = 6, 7, 11  # sh_type


class ElfFile:
    """The headers of one file; ValueError where it is not a 64-bit little-endian ELF file."""

    def __init__(self, path):
        self.bytes = path.read_bytes()
        if self.bytes[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path} is not a 64-bit little-endian ELF file")
        head = struct.unpack_from("<HHIQQQIHHHHHH", self.bytes, 16)
        self.type, self.machine = head[:2]
        segments_at, sections_at = head[4:6]
        segment_size, n_segments, section_size, n_sections = head[8:12]
        # (type, flags, offset, size in the file)
        self.segments = [(kind, flags, offset, size) for kind, flags, offset, _, _, size, _, _ in
                         (struct.unpack_from("<IIQQQQQQ", self.bytes, segments_at + i * segment_size) for i in range(n_segments))]
        # (type, offset, size, linked section)
        self._sections = [(fields[1], fields[4], fields[5], fields[6]) for fields in
                          (struct.unpack_from("<IIQQQQIIQQ", self.bytes, sections_at + i * section_size) for i in range(n_sections))]

    def _entries(self, kind, form):
        """(fields of an entry, linked section) of every section of this type."""
        size = struct.calcsize(form)
        for section, offset, length, link in self._sections:
            if section == kind:
                for at in range(offset, offset + length, size):
                    yield struct.unpack_from(form, self.bytes, at), link

    @property
    def dynamic(self):
        """{tag: value} of the dynamic section."""
        return {tag: value for (tag, value), _ in self._entries(_DYNAMIC, "<QQ")}

    @property
    def imports(self):
        """Names that other libraries define."""
        names = set()
        for (name, _, _, section, _, _), link in self._entries(_DYNAMIC_SYMBOLS, "<IBBHQQ"):
            if section == 0:
                at = self._sections[link][1] + name
                names.add(self.bytes[at:self.bytes.index(b"\0", at)].decode())
        return names

    @property
    def features(self):
        """The x86 features that every part of the file has: IBT | SHSTK."""
        for kind, offset, length, _ in self._sections:
            at, end = offset, offset + length
            while kind == _NOTE and at < end:
                name_size, size, note = struct.unpack_from("<III", self.bytes, at)
                content = at + 12 + (name_size + 3) // 4 * 4
                at = content + (size + 7) // 8 * 8
                if note != 5 or self.bytes[content - 4:content] != b"GNU\0":
                    continue
                while content < at:
                    tag, width, value = struct.unpack_from("<III", self.bytes, content)
                    if tag == 0xC0000002:
                        return value
                    content += 8 + (width + 7) // 8 * 8
        return 0

    def code(self):
        """The bytes that may be run."""
        return b"".join(self.bytes[offset:offset + size] for kind, flags, offset, size in self.segments if kind == LOAD and flags & RUNS)


def missing_hardening(kind, file):
    """What a "program" or a "module" lacks of all that does not depend on the processor."""
    kinds = {segment[0] for segment in file.segments}
    flags, more_flags = (file.dynamic.get(tag, 0) for tag in (FLAGS, FLAGS_1))
    stack = [flags for kind, flags, _, _ in file.segments if kind == STACK]
    # Of the calls with checks; __stack_chk_fail is the stack protector's.
    checked = [name for name in file.imports if re.fullmatch(r"__\w+_chk", name)]
    promises = {
        "position independent": file.type == SHARED,
        "a program that is placed anywhere": kind != "program" or (INTERPRETER in kinds and bool(more_flags & PIE)),
        "a table of symbols that is read-only": RELRO in kinds,
        "all symbols bound at start": bool(flags & BIND_NOW) or bool(more_flags & NOW),
        "a stack that is not run": len(stack) == 1 and not stack[0] & RUNS,
        "no segment that is written and run": not any(
            kind == LOAD and flags & RUNS and flags & WRITES for kind, flags, _, _ in file.segments),
        "a stack protector": "__stack_chk_fail" in file.imports,
        "checked calls of the C library": bool(checked),
    }
    return [promise for promise, kept in promises.items() if not kept]
