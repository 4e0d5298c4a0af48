import type { Duplex } from 'node:stream';
import ssh2, { type Client } from 'ssh2';
import {
  HostAuthError,
  HostConfigError,
  HostKeyError,
  HostUnreachableError,
  type Unreachable,
} from '../../../compute.ts';
import { keyCheckOf } from './host-key.ts';
import { credentialsOf } from './keys.ts';
import type { Target } from './target.ts';

const READY_MS = 20_000;

/** Waiting times for a host that does not answer. */
interface Patience {
  /** Time in ms between keep-alives; a connection is lost after three without an answer. */
  aliveMs: number;
  /** Limit in ms of a login, on each machine of the way; default: 20 s. */
  readyMs?: number;
}

/** Opens one connection through all targets, the last of which is the host; throws one of the host errors. */
export async function connectThrough(
  host: string,
  { targets, ...patience }: Patience & { targets: readonly Target[] },
): Promise<Client> {
  let client: Client | undefined;
  for (const [index, target] of targets.entries()) {
    const jumpClient = client;
    const via = jumpClient && (await forward(host, jumpClient, { target, readyMs: patience.readyMs ?? READY_MS }));
    try {
      client = await connectOne(host, target, { ...patience, via, isJump: index < targets.length - 1 });
    } catch (error) {
      jumpClient?.end();
      throw error;
    }
    // The jump host's connection lives as long as the connection that goes through it.
    if (jumpClient) client.once('close', () => jumpClient.end());
  }
  if (!client) throw new HostConfigError(host, 'expected an address');
  return client;
}

/**
 * Opens a stream through a jump host to the target. The jump host answers keep-alives even if the target does not
 * answer: only `readyMs` ends that wait.
 */
function forward(
  host: string,
  client: Client,
  { target: { address, port }, readyMs }: { target: Target; readyMs: number },
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const giveUp = (error: Error): void => {
      clearTimeout(timer);
      client.end();
      reject(error);
    };
    const fail = (reason: Unreachable, why: string, cause?: Error): void => {
      const message = `the jump host cannot reach ${address}:${port} (${why})`;
      giveUp(new HostUnreachableError(host, reason, { message, cause }));
    };
    const timer = setTimeout(() => fail('timeout', `no answer within ${readyMs / 1000} s`), readyMs);
    client.once('close', () => fail('closed', 'it closed the connection'));
    try {
      client.forwardOut('127.0.0.1', 0, address, port, (error, channel) => {
        if (error && isForbidden(error)) giveUp(new HostConfigError(host, forbids(address, port), { cause: error }));
        else if (error) fail(reasonOfRelay(error), error.message, error);
        else {
          clearTimeout(timer);
          resolve(channel);
        }
      });
    } catch (error) {
      // The jump host closed the connection before the request.
      fail('closed', error instanceof Error ? error.message : String(error));
    }
  });
}

const forbids = (address: string, port: number): string =>
  `expected the jump host to forward connections to ${address}:${port}; ` +
  'its sshd forbids it: check AllowTcpForwarding, PermitOpen and the options of your key there';

/** SSH_OPEN_ADMINISTRATIVELY_PROHIBITED (RFC 4254, §5.1): the jump host does not try to connect. */
const PROHIBITED = 1;
const isForbidden = (error: Error): boolean => 'reason' in error && error.reason === PROHIBITED;

/** Reason in the message of the jump host's sshd, which quotes its system. */
function reasonOfRelay({ message }: Error): Unreachable {
  if (/timed out/i.test(message)) return 'timeout';
  if (/no route|unreachable/i.test(message)) return 'route';
  return /unknown host|not known|name resolution/i.test(message) ? 'name' : 'refused';
}

async function connectOne(
  host: string,
  target: Target,
  { via, isJump, aliveMs, readyMs = READY_MS }: Patience & { via: Duplex | undefined; isJump: boolean },
): Promise<Client> {
  const check = await keyCheckOf(host, target);
  const { methods, tried } = await credentialsOf(host, target);
  const at = `${isJump ? 'the jump host ' : ''}${target.address}:${target.port}`;
  // Each channel that is being opened adds a listener for the end of the client.
  const client = new ssh2.Client().setMaxListeners(50);
  return new Promise((resolve, reject) => {
    let problem: unknown;
    client
      .once('ready', () => {
        // From here on, the end of the connection shows a failure.
        client.on('error', () => undefined);
        // Without this, a short message waits up to 40 ms for the acknowledgement of the one before.
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
        // The client goes on to the next key.
        if (error.level === 'agent') {
          tried.push(`which failed (${error.message})`);
          return;
        }
        problem ??= error;
        const refused = check.problem();
        client.end();
        reject(
          refused === undefined
            ? explain(host, { at, user: target.user, tried }, error)
            : new HostKeyError(host, `${at}: ${refused}`),
        );
      })
      .once('close', () => {
        if (problem === undefined)
          reject(unreachable(host, at, { reason: 'closed', cause: new Error('it closed before the login') }));
      });
    client.connect({
      ...(via ? { sock: via } : { host: target.address, port: target.port }),
      username: target.user,
      hostVerifier: (key: Buffer) => check.verify(key),
      algorithms: { serverHostKey: check.algorithms },
      authHandler: [{ type: 'none', username: target.user }, ...methods],
      readyTimeout: readyMs,
      keepaliveInterval: aliveMs,
      keepaliveCountMax: 3,
    });
  });
}

/** Error of a client. `code`: of a socket's error, or the number of the host's reason to disconnect. */
type Failure = Error & { level?: string; code?: string | number };

/** Converts a failed login to a host error. `at`: description of the machine. */
function explain(
  host: string,
  { at, user, tried }: { at: string; user: string; tried: string[] },
  error: Failure,
): Error {
  const all = tried.join(', ') || 'none';
  if (error.level === 'client-authentication')
    return new HostAuthError(
      host,
      `${at} refused every key of ${user}; tried: ${all}. ${tried.length === 0 ? NO_KEY : ''}Add your ` +
        `public key to ~/.ssh/authorized_keys of ${user} there, or set keyFile or user in fleet.yaml`,
    );
  if (hadTooMany(error))
    return new HostAuthError(
      host,
      `${at} refused too many keys of ${user} and closed the connection (MaxAuthTries): ${error.message}; ` +
        `the keys were: ${all}. ` +
        `Set the right key as keyFile in fleet.yaml, or as IdentityFile in ~/.ssh/config. ` +
        `It must be in ~/.ssh/authorized_keys of ${user} there`,
    );
  if (/no matching/i.test(error.message)) return new HostConfigError(host, `${at}: ${error.message}`);
  return unreachable(host, at, { reason: reasonOf(error), cause: error });
}

const NO_KEY =
  'Found no agent (SSH_AUTH_SOCK is not set for this process) and no key file in ~/.ssh. ' +
  'Set SSH_AUTH_SOCK, set agent in fleet.yaml, or make a key with ssh-keygen. ';
/** SSH_DISCONNECT_NO_MORE_AUTH_METHODS_AVAILABLE (RFC 4253, 11.1). */
const NO_MORE_METHODS = 14;
/** True if the host ended too many tries. sshd sends the number of a protocol error, with this message. */
const hadTooMany = ({ code, message }: Failure): boolean =>
  code === NO_MORE_METHODS || /too many authentication failures/i.test(message);

function reasonOf({ code, level, message }: Failure): Unreachable {
  if (level === 'client-timeout' || code === 'ETIMEDOUT' || /timed out/i.test(message)) return 'timeout';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || /getaddrinfo/.test(message)) return 'name';
  if (code === 'ECONNREFUSED') return 'refused';
  return ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL'].includes(String(code)) ? 'route' : 'closed';
}

const ADVICE: Record<Unreachable, string> = {
  name: 'its name does not resolve; check the address and DNS',
  refused: 'nothing listens on that port; check the port, and that sshd runs',
  timeout: 'it did not answer in time; check that it is up and that no firewall drops packets',
  route: 'there is no route to it; check the network',
  closed: 'it closed the connection; check sshd and its limit of connections (MaxStartups)',
};

function unreachable(host: string, at: string, { reason, cause }: { reason: Unreachable; cause: Error }): Error {
  const message = `cannot reach ${at}: ${ADVICE[reason]} (${cause.message})`;
  return new HostUnreachableError(host, reason, { message, cause });
}
