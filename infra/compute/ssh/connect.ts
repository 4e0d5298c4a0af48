import type { Duplex } from 'node:stream';
import ssh2, { type Client } from 'ssh2';
import { HostAuthError, HostConfigError, HostKeyError, HostUnreachableError, type Unreachable } from '../../compute.ts';
import { keyCheckOf } from './host-key.ts';
import { credentialsOf } from './keys.ts';
import type { Target } from './target.ts';

const READY_MS = 20_000;
/**
 * One connection through all targets, the last of which is the host; throws one of the host errors. A connection that
 * does not answer three times, `aliveMs` apart, is over.
 */
export async function connectThrough(
  host: string,
  { targets, aliveMs }: { targets: readonly Target[]; aliveMs: number },
): Promise<Client> {
  let client: Client | undefined;
  for (const target of targets) {
    const before = client;
    const via = before && (await forward(host, before, target));
    try {
      client = await connectOne(host, target, { via, aliveMs });
    } catch (error) {
      before?.end();
      throw error;
    }
    // The jump host's connection lives as long as the one that goes through it.
    if (before) client.once('close', () => before.end());
  }
  if (!client) throw new HostConfigError(host, 'expected an address');
  return client;
}

function forward(host: string, client: Client, { address, port }: Target): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    client.forwardOut('127.0.0.1', 0, address, port, (error, channel) => {
      if (!error) return resolve(channel);
      client.end();
      const message = `the jump host cannot reach ${address}:${port} (${error.message})`;
      reject(new HostUnreachableError(host, 'refused', { message, cause: error }));
    });
  });
}

async function connectOne(
  host: string,
  target: Target,
  { via, aliveMs }: { via: Duplex | undefined; aliveMs: number },
): Promise<Client> {
  const check = await keyCheckOf(target);
  const { methods, tried } = await credentialsOf(host, target);
  // Each channel that is being opened listens for its end.
  const client = new ssh2.Client().setMaxListeners(50);
  return new Promise((resolve, reject) => {
    let problem: unknown;
    client
      .once('ready', () => {
        // From here on a failure shows as the end of the connection.
        client.on('error', () => undefined);
        // Calls are short: a word that waits until the one before is acknowledged waits for 40 ms.
        client.setNoDelay(true);
        check.record().then(
          () => resolve(client),
          (error: Error) => {
            client.end();
            reject(error);
          },
        );
      })
      .on('error', (error) => {
        // It goes on to the next key.
        if (error.level === 'agent') return void tried.push(`which failed (${error.message})`);
        problem ??= error;
        const refused = check.problem();
        client.end();
        reject(
          refused === undefined
            ? explain(host, { target, tried }, error)
            : new HostKeyError(host, `${target.address}:${target.port}: ${refused}`),
        );
      })
      .once('close', () => {
        if (problem === undefined)
          reject(unreachable(host, target, { reason: 'closed', cause: new Error('it hung up before we were in') }));
      });
    client.connect({
      ...(via ? { sock: via } : { host: target.address, port: target.port }),
      username: target.user,
      hostVerifier: (key: Buffer) => check.verify(key),
      algorithms: { serverHostKey: check.algorithms },
      authHandler: [{ type: 'none', username: target.user }, ...methods],
      readyTimeout: READY_MS,
      keepaliveInterval: aliveMs,
      keepaliveCountMax: 3,
    });
  });
}

/** `code`: of a socket's error, or the number of the host's reason to hang up. */
type Failure = Error & { level?: string; code?: string | number };

function explain(host: string, { target, tried }: { target: Target; tried: string[] }, error: Failure): Error {
  const who = `${target.user}@${target.address}:${target.port}`;
  const all = tried.join(', ') || 'none';
  if (error.level === 'client-authentication')
    return new HostAuthError(
      host,
      `${who} refused every key; tried: ${all}. ${tried.length === 0 ? NO_KEY : ''}Put the ` +
        `public key into ~/.ssh/authorized_keys of ${target.user} there, or name another key or user`,
    );
  if (hadTooMany(error))
    return new HostAuthError(
      host,
      `${who} hung up after too many keys that it does not take (MaxAuthTries): ${error.message}; to try were: ${all}. ` +
        `Name the one that it takes with keyFile in the fleet.yaml, or with IdentityFile in ~/.ssh/config, and see that it ` +
        `is in ~/.ssh/authorized_keys of ${target.user} there`,
    );
  if (/no matching/i.test(error.message)) return new HostConfigError(host, `${target.address}: ${error.message}`);
  return unreachable(host, target, { reason: reasonOf(error), cause: error });
}

const NO_KEY = 'There is no agent and no key file in ~/.ssh: make one with ssh-keygen. ';
/** SSH_DISCONNECT_NO_MORE_AUTH_METHODS_AVAILABLE (RFC 4253, 11.1). */
const NO_MORE_METHODS = 14;
/** sshd says it with the number of a protocol error, and in these words. */
const hadTooMany = ({ code, message }: Failure): boolean =>
  code === NO_MORE_METHODS || /too many authentication failures/i.test(message);

function reasonOf({ code, level, message }: Failure): Unreachable {
  if (level === 'client-timeout' || code === 'ETIMEDOUT' || /timed out/i.test(message)) return 'timeout';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name';
  if (code === 'ECONNREFUSED') return 'refused';
  return ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL'].includes(String(code)) ? 'route' : 'closed';
}

const ADVICE: Record<Unreachable, string> = {
  name: 'its name is not found: check the address and DNS',
  refused: 'nothing listens there: is sshd running, is it the right port?',
  timeout: 'no answer in time: is it up, does a firewall drop what we send?',
  route: 'there is no way there: check the network',
  closed: 'it hung up: is sshd healthy, does it limit connections (MaxStartups)?',
};

function unreachable(host: string, target: Target, { reason, cause }: { reason: Unreachable; cause: Error }): Error {
  const message = `cannot reach ${target.address}:${target.port}, ${ADVICE[reason]} (${cause.message})`;
  return new HostUnreachableError(host, reason, { message, cause });
}
