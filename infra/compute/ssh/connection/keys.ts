import ssh2, { type BaseAgent, type AnyAuthMethod, type ParsedKey } from 'ssh2';
import { readPlain } from '../../../read-plain.ts';
import { HostConfigError } from '../../../compute.ts';
import type { Target } from './target.ts';

/** What we can show a host, and why other keys cannot be shown. */
export interface Credentials {
  methods: AnyAuthMethod[];
  /** In words, for the error when all of it is refused. */
  tried: string[];
}

/** Of a file with one key: the largest has some kilobytes. */
const MOST_KEY_BYTES = 1024 * 1024;

/** Which keys of an agent a host is shown, and in which order: it takes only so many (MaxAuthTries). */
interface Shown {
  /** Key files, whose keys come first where the agent has them: private ones with their `.pub` beside them, or public ones. */
  files: string[];
  /** No others. */
  only: boolean;
  /** Public keys that were shown before. */
  before: Buffer[];
}

/** The agent at a socket, which names its keys in that order. */
async function agentAt(socket: string, { files, only, before }: Shown): Promise<BaseAgent> {
  const first = (await Promise.all(files.map(publicKeyOf))).filter((key) => key !== undefined);
  const isAmong = (keys: Buffer[], key: ParsedKey): boolean => keys.some((one) => one.equals(key.getPublicSSH()));
  const inOrder = (keys: ParsedKey[]): ParsedKey[] => {
    const fresh = keys.filter((key) => !isAmong(before, key));
    const others = only ? [] : fresh.filter((key) => !isAmong(first, key));
    return [...fresh.filter((key) => isAmong(first, key)), ...others];
  };
  const agent = new ssh2.OpenSSHAgent(socket);
  const ask = agent.getIdentities.bind(agent);
  agent.getIdentities = (tell) =>
    ask((error, keys = []) => tell(error, inOrder(keys.filter((key) => 'getPublicSSH' in key))));
  return agent;
}

async function publicKeyOf(file: string): Promise<Buffer | undefined> {
  for (const path of [`${file}.pub`, file]) {
    const parsed = ssh2.utils.parseKey(await readPlain(path, MOST_KEY_BYTES).catch(() => ''));
    if (!(parsed instanceof Error)) return parsed.getPublicSSH();
  }
  return undefined;
}

/** Reads a target's key files; an agent comes last. Throws HostConfigError where a key that was named cannot be used. */
export async function credentialsOf(host: string, target: Target): Promise<Credentials> {
  const { user: username, keyFiles: files, agent, onlyFiles: only } = target;
  const found: Credentials = { methods: [], tried: [] };
  const before: Buffer[] = [];
  for (const file of files) {
    const read = await readKey(file);
    if (read.key !== undefined) {
      found.methods.push({ type: 'publickey', username, key: read.key.text });
      found.tried.push(file);
      before.push(read.key.publicKey);
    } else if (target.keyNamed && !(read.forAgent === true && agent !== undefined))
      throw new HostConfigError(host, `key ${file}: ${read.problem ?? 'there is no such file'}`);
    else if (read.problem !== undefined) found.tried.push(`${file} (not used: ${read.problem})`);
  }
  if (agent !== undefined) {
    found.methods.push({ type: 'agent', username, agent: await agentAt(agent, { files, only, before }) });
    found.tried.push(`the agent at ${agent}`);
  }
  return found;
}

interface Read {
  key?: { text: Buffer; publicKey: Buffer };
  problem?: string;
  /** It names a key that an agent may have. */
  forAgent?: boolean;
}

async function readKey(file: string): Promise<Read> {
  let text: Buffer;
  try {
    text = await readPlain(file, MOST_KEY_BYTES);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? {} : { problem: message };
  }
  const parsed = ssh2.utils.parseKey(text);
  if (!(parsed instanceof Error)) {
    if (parsed.isPrivateKey()) return { key: { text, publicKey: parsed.getPublicSSH() } };
    return { problem: `it is a public key (${parsed.type}); give the private one`, forAgent: true };
  }
  if (/passphrase/i.test(parsed.message))
    return { problem: 'it has a passphrase; add it to an agent (ssh-add), or use a key without one', forAgent: true };
  return { problem: `${await typeBeside(file)}: ${parsed.message}; use an ed25519, ECDSA or RSA key` };
}

// The public half names the type, also where we cannot read the private one.
async function typeBeside(file: string): Promise<string> {
  const text = await readPlain(`${file}.pub`, MOST_KEY_BYTES).catch(() => '');
  const type = text.toString().trim().split(' ')[0] ?? '';
  return type === '' ? 'a key that is not supported' : `keys of type ${type} are not supported`;
}
