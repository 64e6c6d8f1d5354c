"""Words that a number may follow without the two naming a record."""

# Words before a number that name a part, a unit, a standard, a version or a time, not a record.
_PARTS_AND_UNITS = """
a about above after all and any are as at be before below between by for from how if in into is
it its last least less like more most my next no not of off on only or our out over per same
see so than that the them then these they this those to top under up until was we were when
where which with you your
act age algorithm answer appendix argument article attempt axis batch block book box bucket
build bullet case cell chapter class clause code col column core count day days default digit
draft edition element enum env episode epoch error eq equation example exit exhibit expected
experiment factor fig figure file first flag floor footnote frame gate gen generation goal
grade group half hour hours hunk hypothesis id image index input instance item iteration job
key lane layer lesson level line lines list listing loop major max method milestone min minor
minute minutes mode module month months node note num number object offset op option order
output pack page pages panel paragraph part partition pass patch path percent phase pid plan
player point pool port pos position priority problem process prop proposition pt qty quarter
question rank rate ratio region release replica result return revision risk room round row
rows rule run sample scenario score season second seconds sect section sections segment
server set shard sheet signal size skip slice slide slot snapshot solution space split sprint
stage state status step stop story string subsection sum table tag take task term test theorem
thread threshold tier time times total tree trial turn type uid unit user val value vector
ver version vol volume wave way week weeks worker year years zone
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri
sat sun january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter
am pm ad bc bce ce utc gmt est edt cst cdt mst mdt pst pdt cet cest bst ist jst aest fy cy
east west north south central us eu uk usd eur gbp chf jpy inr cad aud
sev severity prio warn warning critical high low
ansi ascii ieee iso iec itu posix ecma nist unicode utf ucs euc latin iana cp ebcdic big koi
http https tcp udp ip ipv ssl tls ssh ftp smtp imap dns arp bgp as asn vlan vpn quic grpc rest
soap html css xml json yaml sql url uri usb pci pcie sata nvme hdmi wifi lte dsl vpc rds ecs
ec ebs elb alb nlb aks eks gke gcp aws
aes rsa des dsa ecdsa sha md crc hmac base rot xor blake argon pbkdf scrypt fnv murmur rijndael
bit bits byte bytes kb mb gb tb pb kib mib gib hz khz mhz ghz ms ns us sec mins hrs cpu gpu ram
rom ssd hdd vm os tpu fpga simd avx sse arm amd intel risc mips sparc mac win windows macos ios
ipad iphone android ubuntu debian fedora centos rhel alpine linux unix bsd solaris darwin
python ruby perl php java javascript typescript node go rust swift kotlin scala clang gcc msvc
jdk jre jvm sdk api abi dll npm pip django rails react vue angular postgres postgresql mysql
redis mongodb kafka chrome firefox safari edge opera excel word gpl lgpl agpl mpl apache mit
py pypy cpython jython win int uint float double char long short bool null true false nan inf
limit select values where insert update delete group order having union null avg
gpt bert llama claude gemini covid mp jpeg png gif pdf mpeg ogg wav tif tiff bmp
gh pr mr bug issue pull merge ticket fixme xxx
"""
NOT_RECORDS = frozenset(_PARTS_AND_UNITS.split())

# Trackers use these as families when they write them with a dash: TASK-12, but not "task 12".
_TRACKED = """
bug case goal issue item note order question risk rule story task test ticket
"""
DASHED_RECORDS = frozenset(_TRACKED.split())
