import { connect, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import type { SinkOf } from '../../domain/notify/sink.ts';
import { trustedCertificates } from '../network/certificates.ts';
import { readSecret } from './read-secret.ts';
import type { SinkAdapter } from './sink-adapter.ts';

const TIMEOUT_MS = 15_000;

/** Sends a message by SMTP, as plain text. */
export const email: SinkAdapter<SinkOf<'email'>> = async (spec, notice, { env }) => {
  const { host, port, security, user, from, to } = spec;
  const pass = spec.password === undefined ? null : await readSecret(spec.password, env);
  const message = {
    from,
    to,
    subject: `Perpetua: ${notice.title}`,
    text: [notice.title, '', ...notice.lines, ...notice.commands.map((line) => `    ${line}`), ''].join('\n'),
    messageId: `<${notice.id}@perpetua.invalid>`,
    headers: { 'X-Perpetua-Id': notice.id },
  };
  const secureContext = trustedCertificates(env);
  return {
    shown: [
      `SMTP ${host}:${port} (${security})`,
      `From: ${from}`,
      `To: ${to.join(', ')}`,
      `Subject: ${message.subject}`,
      `X-Perpetua-Id: ${notice.id}`,
      '',
      ...message.text.trimEnd().split('\n'),
    ],
    secrets: pass === null ? [] : [pass, base64Of(pass), base64Of(`\0${user ?? ''}\0${pass}`)],
    send: async (signal) => {
      const socket = await open({ host, port, signal });
      const transport = createTransport({
        host,
        port,
        getSocket: (_options, callback) => callback(null, { connection: socket }),
        secure: security === 'tls',
        requireTLS: security === 'starttls',
        ignoreTLS: security === 'none',
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
        ...(user === undefined || pass === null ? {} : { auth: { user, pass } }),
        ...(secureContext === undefined ? {} : { tls: { secureContext } }),
      });
      // The transport's own close leaves a conversation open that a slow server draws out.
      const close = (): void => void socket.destroy();
      signal.addEventListener('abort', close, { once: true });
      try {
        const { response } = await transport.sendMail(message);
        return response;
      } finally {
        signal.removeEventListener('abort', close);
        transport.close();
      }
    },
  };
};

const base64Of = (text: string): string => Buffer.from(text).toString('base64');

interface Address {
  host: string;
  port: number;
  signal: AbortSignal;
}

function open({ host, port, signal }: Address): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const stop = (): void => fail(new Error('the connection was given up'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    // This listener stays: an error before the transport listens would end the worker.
    socket.on('error', fail);
    socket.once('timeout', () => fail(new Error(`no connection within ${TIMEOUT_MS / 1000} s`)));
    socket.once('connect', () => {
      signal.removeEventListener('abort', stop);
      socket.removeAllListeners('timeout');
      resolve(socket);
    });
  });
}
