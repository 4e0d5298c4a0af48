import ssh2, { type BaseAgent, type ParsedKey } from 'ssh2';
import { readPlain } from '../../../read-plain.ts';

/** Of a file with one key: the largest has some kilobytes. */
export const MOST_KEY_BYTES = 1024 * 1024;

/** Which keys of an agent a host is shown, and in which order: it takes only so many (MaxAuthTries). */
export interface Shown {
  /** Key files, whose keys come first where the agent has them: private ones with their `.pub` beside them, or public ones. */
  files: string[];
  /** No others. */
  only: boolean;
  /** Public keys that were shown before. */
  before: Buffer[];
}

/** The agent at a socket, which names its keys in that order. */
export async function agentAt(socket: string, { files, only, before }: Shown): Promise<BaseAgent> {
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
