import ssh2, { type BaseAgent, type AnyAuthMethod, type ParsedKey } from 'ssh2';
import { readPlain } from '../../../read-plain.ts';
import { HostConfigError } from '../../../compute.ts';
import type { Target } from './target.ts';

/** Keys to offer a host, and reasons why others cannot be offered. */
export interface Credentials {
  methods: AnyAuthMethod[];
  /** Descriptions of the keys, for the error if the host refuses all. */
  tried: string[];
}

/** Largest key file that is read; a key has some kilobytes. */
const MOST_KEY_BYTES = 1024 * 1024;

/** Selection of an agent's keys, and their order: a host accepts only so many tries (MaxAuthTries). */
interface AgentKeys {
  /** Key files, whose keys come first if the agent has them: public keys, or private keys beside a `.pub` file. */
  files: string[];
  /** True to offer no other keys. */
  only: boolean;
  /** Public keys of the files, which the login has offered already. */
  offered: Buffer[];
}

/** Agent at a socket, which lists the selected keys in their order. */
async function agentAt(socket: string, { files, only, offered }: AgentKeys): Promise<BaseAgent> {
  const first = (await Promise.all(files.map(publicKeyOf))).filter((key) => key !== undefined);
  const isAmong = (keys: Buffer[], key: ParsedKey): boolean => keys.some((other) => other.equals(key.getPublicSSH()));
  const inOrder = (keys: ParsedKey[]): ParsedKey[] => {
    const fresh = keys.filter((key) => !isAmong(offered, key));
    const others = only ? [] : fresh.filter((key) => !isAmong(first, key));
    return [...fresh.filter((key) => isAmong(first, key)), ...others];
  };
  const agent = new ssh2.OpenSSHAgent(socket);
  const getIdentities = agent.getIdentities.bind(agent);
  agent.getIdentities = (callback) =>
    getIdentities((error, keys = []) => callback(error, inOrder(keys.filter((key) => 'getPublicSSH' in key))));
  return agent;
}

async function publicKeyOf(file: string): Promise<Buffer | undefined> {
  for (const path of [`${file}.pub`, file]) {
    const parsed = ssh2.utils.parseKey(await readPlain(path, MOST_KEY_BYTES).catch(() => ''));
    if (!(parsed instanceof Error)) return parsed.getPublicSSH();
  }
  return undefined;
}

/** Reads a target's key files; an agent comes last. Throws HostConfigError if a key that the user named is unusable. */
export async function credentialsOf(host: string, target: Target): Promise<Credentials> {
  const { user: username, keyFiles: files, agent, onlyFiles: only } = target;
  const found: Credentials = { methods: [], tried: [] };
  const offered: Buffer[] = [];
  for (const file of files) {
    const read = await readKey(file);
    if (read.key !== undefined) {
      found.methods.push({ type: 'publickey', username, key: read.key.text });
      found.tried.push(file);
      offered.push(read.key.publicKey);
    } else if (target.keyNamed && !(read.forAgent === true && agent !== undefined))
      throw new HostConfigError(host, `key ${file}: ${read.problem ?? 'there is no such file'}`);
    else if (read.problem !== undefined) found.tried.push(`${file} (not used: ${read.problem})`);
  }
  if (agent !== undefined) {
    found.methods.push({ type: 'agent', username, agent: await agentAt(agent, { files, only, offered }) });
    found.tried.push(`the agent at ${agent}`);
  }
  return found;
}

/** Result of reading a key file: a private key, or the problem with it; neither, if there is no file. */
interface Read {
  key?: { text: Buffer; publicKey: Buffer };
  problem?: string;
  /** True if an agent may have the private key. */
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
    return { problem: `it is a public key (${parsed.type}); name the private key`, forAgent: true };
  }
  if (/passphrase/i.test(parsed.message))
    return { problem: 'it has a passphrase; add it to an agent (ssh-add), or use a key without one', forAgent: true };
  return { problem: `${await typeBeside(file)}: ${parsed.message}; use an ed25519, ECDSA or RSA key` };
}

// The public half names the type, even if the private one cannot be parsed.
async function typeBeside(file: string): Promise<string> {
  const text = await readPlain(`${file}.pub`, MOST_KEY_BYTES).catch(() => '');
  const type = text.toString().trim().split(' ')[0] ?? '';
  return type === '' ? 'a key that is not supported' : `keys of type ${type} are not supported`;
}
