"""Whether what stands where a secret may stand is one, by the look of it."""

from __future__ import annotations

import re

# Of values in lower case, since a pattern that ignores case takes several times as long to compile.
_NO_VALUE = re.compile(
    r"\[redacted|[,);]|\$(?:[a-z_({]|\d\b)|#[({]|%\w+%$|[<({\[\\]|!\w|[*.x-]+$|[•…]|https?:|data:"
    r"|(?:true|false|null|none|undefined|str(?:ing)?|secretstr|boolean|number|integer|bytes|unknown"
    r"|required|optional|bearer|basic|inherit|[~^<>=!v]*[\d.x*]{1,7}"
    r"|[~^<>=!v]*\d+(?:\.\d+)+[\w.+-]*)[,.;:]*$"
    r"|(?:your|the|a)[-_ ]|#[0-9a-f]{3,8}\b|0x[0-9a-f]{1,8}$|/[\^(\[]"
    r"|[a-z][\w-]*[-@]v?\d+(?:\.\d+)+"
    r"|(?:~|\.{1,2})?/?(?:[a-z._-]+/)+[a-z._-]*$"  # a path
)
_NAMES_ONE = re.compile(  # `access_token`, `"Password"`, `hashedPassword`, `secret2`
    r"[a-z_$. -]*(?:passw|pwd|secret|token|credential|key|auth)[a-z_$. -]*\d?[:;,]?$"
)
_CODE = re.compile(  # a call, an index, a name, a member
    r"[&*]?[a-z_$][\w$]*(?:[?!]?(?:\.|->|::)[a-z_$]\w*)*[(\[]"
    r"|[&*]?[a-z_$]+\d?(?:[?!]?(?:\.|->|::)[a-z_$]+\d?)*[?!]?$"
)
_KNOWN_WORD = re.compile(
    r"[a-z_.-]*(?:base\d\d|utf[_-]?\d+|sha[_-]?\d+|md5|oauth2|x509|ed25519|argon2|http2|v\d+)"
    r"[a-z_.-]*$"
)


def is_random(value: str) -> bool:
    """Whether nobody would make up such a word."""
    lowered = value.lower()
    if " " in value or _NO_VALUE.match(lowered) or _KNOWN_WORD.match(lowered):
        return False
    if value.isalpha():
        return len(value) >= 24 and (value.islower() or value.isupper())
    digits = sum(map(str.isdigit, value))
    mixed = 4 * sum(map(str.isupper, value)) > len(value) and value.upper() != value
    if _CODE.match(lowered) and not (digits and mixed and value.isalnum()):
        return False
    several = digits > 1 or (digits == 1 and (mixed or len(value) > 15))
    return len(value) >= 8 and several and (digits > 11 or any(map(str.isalpha, value)))


def is_given(value: str) -> bool:
    """Whether it is the value of an option, and neither a placeholder nor another option."""
    return not re.match(
        r"\d{1,6}\b|[A-Z_]+\b|(?:id|type|src)="
        r"|(?:options?|and|or|is|are|flags?|arguments?|must|instead)\b",
        value,
    )


def is_token(value: str) -> bool:
    """Whether it can follow `Bearer` or `Basic` in a text that names no header."""
    return bool(re.search(r"\d|[a-z][A-Z][a-z]{0,3}[A-Z]", value))


def is_word(value: str) -> bool:
    """Whether it can be a password of words alone, and is no type and no variable."""
    return value.islower() and not _NO_VALUE.match(value) and not _NAMES_ONE.match(value)


def is_named(name: str, sign: str, quoted: bool, value: str) -> bool:
    """Whether what a name is given is a secret: a password may be plain words, others are random.

    `sign` is what stands between them, with its blanks.
    """
    lowered, tight, constant = value.lower(), sign == "=", name.isupper()
    if len(value) < 5 or _NO_VALUE.match(lowered):
        return False
    if constant and tight and not quoted:
        return True
    plain = not any(not char.isalpha() and char not in "_-." for char in value)
    if any(one in sign for one in (",", "==", "!=")):  # of a list, or compared
        odd = "," not in sign and not plain and " " not in value and len(value) > 11
        return quoted and (odd or is_random(value))
    if _NAMES_ONE.match(lowered):
        return False
    if constant and not (quoted or plain or _CODE.match(lowered)):
        return True
    if "passw" in name.lower() or "passphrase" in name.lower():
        if quoted:
            return "assword" not in value and not value.endswith((".", ":", "!", "?"))
        odd = not plain and not _CODE.match(lowered)
        return odd or is_random(value) or (tight and value.isalpha())
    if quoted:
        joined = len(value) > 11 and bool(re.search("[a-z][_-][a-z]", lowered))
        return " " not in value and (not plain or (joined and "cred" not in name.lower()))
    return is_random(value) or (tight and not plain and not _CODE.match(lowered) and len(value) > 7)
