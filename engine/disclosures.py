"""Secrets by what stands around them: a name, a header, a URL, a command that takes one.

Each rule is a marker's name, triggers in lower case, a pattern whose group `value`, where there is
one, is what the marker stands for, and what that has to be like: a function of `secretvalue`.
Repetitions are bounded wherever a long text could make a pattern start again and again. A pattern
that begins with `(?i)` is in lower case: it is tried on the text in lower case, without that flag,
which takes a third of the time.
"""

from __future__ import annotations

# What a secret's name ends with; what stands in front of it does not matter. One of the words is
# in each: where none is, no pattern with a name needs to be compiled, which takes a millisecond.
WORDS = (
    "key", "secret", "token", "passw", "passphrase", "_pass", ".pass", "-pass", "credential",
    "creds", "pwd", "_pw", ".pw", "-pw",
)  # fmt: skip
NAME = (
    r"(?P<name>(?:passw(?:or)?d|passphrase|(?:api|app|access|account|encryption|master|private"
    r"|secret|signing|subscription)[_-]?key(?:[_-]?base)?|secret(?:[_-]?(?:string|value))?|token"
    r"|credentials?|creds|(?<=[_.-])(?:pass|pw)|pwd)"
    r"(?:[_.-](?!(?:counts?|types?|names?|limits?|paths?|files?|ids?|len(?:gth)?|size|urls?|uri|ttl"
    r"|expir\w*|usage|window|budget|fields?|headers?|policy|refs?|hash\w*|store\w*|kind|format|dir"
    r"|endpoint|manager|encryption|method|prefix|algorithm|version|required)\b)"
    r"[a-z0-9_.-]{1,40})?)"
)
_SIGN = (
    r"(?::?[ \t]{1,9}string)?(?P<sign>[ \t]{0,20}(?:[:?]{0,3}=>?|[=!]={1,2}|:(?!:)"
    r"|(?<=['\"])\]?,)[ \t]{0,20})"
)
_WORD = r"(?:[^\s'\"`,;)}\]&<|\\]|&(?![\w.-]{1,40}=))"
_FREE = r"(?!\[redacted|[$<{*'\"]|-)"  # no variable, placeholder or marker
_PEM = r"PRIVATE KEY(?: BLOCK)?-----"
_CURL = r"\b(?:curl|wget|https?|xh)[ \t](?:[^|;\n]|\\\r?\n){0,300}?(?<=[ \t])"
_TAKES_ONE = (
    r"(?![ \t]*(?:[ef]?grep|rg|tee|cat|less|wc|sort|jq|sed|awk|head|tail)\b)[^|\n]{0,80}"
    r"(?:\bsecrets?[ \t]|passw|with-token|credential|login|\bsudo[ \t]+-S)"
)

_ANY = ""
DISCLOSURES: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    (
        "private-key",
        ("private key",),
        r"-----BEGIN [A-Z0-9 ]{0,40}" + _PEM + r"(?:(?:(?!-----BEGIN)(?:.|\n))*?-----END [A-Z0-9 ]"
        r"{0,40}" + _PEM + r"|(?:(?:\\[nr]|[\s>|\"'+\\])*[A-Za-z0-9+/=]{16,})*"
        r"(?:\s{0,20}[A-Za-z0-9+/=]+)?)",
        _ANY,
    ),
    (
        "private-key",  # one whose beginning was cut off
        ("private key",),
        r"(?:(?:^|(?<=\n))[> \t]{0,20}[A-Za-z0-9+/=]{16,200}\r?\n){1,200}[> \t]{0,20}-----END "
        r"[A-Z0-9 ]{0,40}" + _PEM,
        _ANY,
    ),
    (
        "private-key",
        ("private-lines:",),
        r"Private-Lines: \d+\r?\n(?P<value>(?:[A-Za-z0-9+/=]{16,}\r?\n?)+)",
        _ANY,
    ),
    (
        "authorization",
        ("authorization",),
        r"(?i)authorization['\"]?[ \t]{0,9}[:=][ \t]{0,9}['\"]?(?:bearer|basic|token)[ \t]{1,9}"
        r"(?P<value>(?!\[redacted|[x*]{4})[\w.~+/:@-]{8,}=*)",
        _ANY,
    ),
    (
        "authorization",
        ("bearer", "basic"),
        r"(?i)\b(?:bearer|basic)[ \t]{1,9}(?P<value>(?!\[redacted|[x*]{4})[\w.~+/:@-]{12,}=*)",
        "is_token",
    ),
    (
        "authorization",
        ("authorization",),
        r"(?i)authorization['\"]?[ \t]{0,9}[:=][ \t]{0,9}['\"]?(?:[a-z][\w-]{0,30}[ \t]{1,9})?"
        r"(?:[^\n]{0,300}?(?:signature|response)=\\?['\"]?)?(?P<value>[\w.~+/=@-]{12,})",
        "is_random",
    ),
    (
        "cookie",
        ("cookie",),
        r"(?i)cookie['\"]?:[ \t]{0,9}['\"]?(?:[^'\"\n]{0,200}?[ ;])?[\w.-]{1,60}="
        r"(?P<value>[^\s;,'\"]{12,})",
        "is_random",
    ),
    (
        "url-credentials",
        ("://",),
        r"\b[a-z][a-z0-9+.-]{0,20}://(?!user(?:name)?:pass(?:word)?@|\[)(?P<value>(?:(?!\[redacted)[^\s/:@'\"])*:"
        r"(?:(?!\[redacted|[${<*])[^\s/@'\"])+|(?=[\w-]{0,99}\d)[\w-]{20,})(?=@)",
        _ANY,
    ),
    (
        "url-parameter",
        ("key=", "sig=", "signature=", "jwt=", "auth=", "_session="),
        r"(?i)(?:[?&](?:[\w.-]{0,30}(?:key|auth)|sig|jwt)=|[\w-]{0,30}(?:signature|_session)=['\"]?)"
        r"(?P<value>[^\s&#'\"<>;]{16,})",
        "is_random",
    ),
    (
        "option",
        ("--",),
        r"(?i)(?<!-)--[a-z0-9_.-]{0,40}?"
        + NAME
        + r"(?:=|[ \t]{1,9})['\"]?(?P<value>"
        + _FREE
        + r"(?:(?<=['\"])[^\s'\"][^'\"\n]{3,}|[^\s'\"]{4,}))",
        "is_given",
    ),
    (
        "option",
        ("curl", "wget", "http", "xh"),
        _CURL + r"(?:-u|--user|--proxy-user|-a|--auth)[ =]{0,3}['\"]?[^\s:'\"${<]{0,60}:['\"]?"
        r"(?P<value>" + _FREE + r"[^\s'\"]{3,})",
        _ANY,
    ),
    (
        "option",
        (
            "mysql",
            "mariadb",
            "sshpass",
            "docker",
            "podman",
            "redis-cli",
            "az login",
            "7z",
            "sqlcmd",
        ),
        r"\b(?:(?:mysql\w*|mariadb\S*|7z)[ \t][^|;\n]{0,200}?(?<=[ \t])-p['\"]?"
        r"|(?:sshpass|(?:docker|podman)[ \t]+login|az[ \t]+login)[ \t][^|;\n]{0,200}?(?<=[ \t])-p"
        r"[ \t]+['\"]?|redis-cli[ \t][^|;\n]{0,200}?-a[ \t]+['\"]?"
        r"|sqlcmd[ \t][^|;\n]{0,200}?-P[ \t]*['\"]?)(?P<value>" + _FREE + r"[^\s'\"|;]{4,})",
        _ANY,
    ),
    (
        "option",
        ("pass:", "smb", "ldap", "--from-literal"),
        r"(?:-pass(?:in|out)?[ =]pass:|\b(?:smb|rpc)client\b[^|;\n]{0,200}?-U[ \t]*[\w.\\-]{1,40}%"
        r"|\bldap\w+[ \t][^|;\n]{0,200}?[ \t]-w[ \t]+['\"]?|--from-literal[= ][\w.-]{1,60}=['\"]?)"
        r"(?P<value>" + _FREE + r"[^\s'\"]{4,})",
        _ANY,
    ),
    (
        "input",  # of a command that takes a secret
        ("printf", "echo"),
        r"\b(?:printf|echo)[ \t]+(?:-[a-zA-Z]+[ \t]+|['\"]%s(?:\\n)?['\"][ \t]+)?['\"]?(?P<value>"
        + _FREE
        + r"[^'\"\n|$]{4,200}?)['\"]?[ \t]*\|"
        + _TAKES_ONE,
        _ANY,
    ),
    (
        "input",
        ("<<<",),
        r"(?:secret|passw|token|credential|login)[^|\n]{0,80}<<<[ \t]*['\"]?(?P<value>"
        + _FREE
        + r"[^'\"\n]{4,})",
        _ANY,
    ),
    (
        "input",
        ("secret",),
        r"\bsecrets?[ \t]+(?:set|put|create|add)\b[^|;\n]{0,120}?"
        r"(?:(?<=\w)=|(?<=[ \t])(?:--body|-b|--value)[= \t]+)['\"]?(?P<value>"
        + _FREE
        + r"[^\s'\"]{6,})",
        _ANY,
    ),
    (
        "setting",  # SQL, `.netrc`, `.pgpass`
        ("password", "identified", ":5432:"),
        r"(?i)(?:\b(?:identified(?:[ \t]+with[ \t]+\w+)?[ \t]+by|(?:with|encrypted)[ \t]+password)"
        r"[ \t]+'|\bmachine\s+\S{1,99}\s+login\s+\S{1,60}\s+password\s+"
        r"|:5432:[^:\s]{1,60}:[^:\s]{1,60}:)"
        r"(?P<value>" + _FREE + r"[^\s']{4,})",
        _ANY,
    ),
    (
        "setting",
        ("env ", "setx ", "arg ", "config", "configure"),
        r"(?i)(?:(?:^|(?<=\n))[ \t]{0,40}(?:env|arg)|\bsetx|\b(?:config|configure)[ :]set)"
        r"[ \t]+[\w/:.-]{0,60}?" + NAME + r"[ \t]+['\"]?(?P<value>" + _FREE + r"[^\s'\"]{6,})",
        "is_random",
    ),
    (
        "setting",  # a name and its value as two fields
        ("value",),
        r"(?i)\b(?:name|key)['\"]?[ \t]{0,9}[:=][ \t]{0,9}['\"]?[\w.-]{0,60}?"
        + NAME
        + r"['\"]?,?\s{0,40}['\"]?value['\"]?[ \t]{0,9}[:=][ \t]{0,9}['\"]?(?P<value>"
        + _FREE
        + r"[^\s'\"]{6,})",
        _ANY,
    ),
    (
        "setting",
        ("</", "value="),
        r"(?i)<[\w:.-]{0,40}?"
        + NAME
        + r"(?:>(?=[^<\n]{5,200}</)|[ \t]{1,9}value=\")(?P<value>"
        + _FREE
        + r"[^\s<\"]{5,})",
        _ANY,
    ),
    (
        "auth",
        ("auth",),
        r"(?i)(?:\"[\w-]{0,40}auth\"[ \t]{0,9}:[ \t]{0,9}\"|_auth[ \t]{0,9}[:=][ \t]{0,9}[\"']?)"
        r"(?P<value>[a-z0-9+/=_-]{12,})",
        "is_random",
    ),
    (
        "assignment",
        WORDS,
        r"(?i)" + NAME + r"(?:['\"]\]?)?" + _SIGN + r"(?:[bru@]?(?P<quote>['\"`]))?"
        r"(?P<value>(?(quote)(?:(?!(?P=quote))[^\n\\]|\\.){4,}|" + _WORD + r"{5,}))",
        "is_named",
    ),
    (
        "assignment",  # a whole line
        ("passw", "passphrase"),
        r"(?i)(?:^|(?<=\n))[ \t+-]{0,40}[\w.-]{0,60}?(?:passw(?:or)?d|passphrase)[ \t]{0,9}:"
        r"[ \t]{1,9}(?P<value>[a-z-]{8,})(?=\n|$)",
        "is_word",
    ),
    (
        "words",
        ("password", "passphrase", "token", "secret", "api key"),
        r"(?i)\b(?:password|passphrase|token|secret|api[ -]key)(?:[ \t]+for[ \t]+\S{1,60}?)?"
        r"(?:[ \t]+is:?|:|[ \t]+to)[ \t]+['\"`]?(?P<value>" + _WORD + r"{8,})",
        "is_random",
    ),
)
