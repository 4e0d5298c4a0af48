// JSON lines over stdin and stdout, with a limit on the wait.

/** The candidate broke the protocol; the message says how. */
export class ProtocolError extends Error {}

const LINE_LIMIT = 4 * 1024 * 1024;
const show = (line) => (line.length > 80 ? `${line.slice(0, 80)}…` : line);

/** Asks on `output` and reads one JSON object a line from `input`. */
export function createDialogue({ input, output, seconds }) {
  const chunks = input[Symbol.asyncIterator]();
  let rest = '';

  async function chunk(deadline) {
    let timer;
    const late = new Promise((_, reject) => {
      const error = new ProtocolError(`expected an answer within ${seconds} s, got none`);
      timer = setTimeout(() => reject(error), deadline - Date.now());
    });
    try {
      return await Promise.race([chunks.next(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function readLine() {
    const deadline = Date.now() + seconds * 1000;
    const parts = [rest];
    let size = rest.length;
    for (let last = rest; !last.includes('\n'); ) {
      const { done, value } = await chunk(deadline);
      if (done) throw new ProtocolError('expected an answer, got the end of the output: did the program crash?');
      last = value.toString('utf8');
      parts.push(last);
      size += last.length;
      if (size > LINE_LIMIT) throw new ProtocolError(`expected lines of at most ${LINE_LIMIT} characters, got more`);
    }
    const text = parts.join('');
    const end = text.indexOf('\n');
    rest = text.slice(end + 1);
    return text.slice(0, end);
  }

  /** Sends a message and returns the answer to it. */
  async function ask(message) {
    if (rest.trim() !== '') throw new ProtocolError(`expected one line for each question, got more: ${show(rest)}`);
    output.write(`${JSON.stringify(message)}\n`);
    const line = await readLine();
    try {
      return JSON.parse(line);
    } catch {
      throw new ProtocolError(`expected one line of JSON, got: ${show(line)}`);
    }
  }

  return { ask };
}
