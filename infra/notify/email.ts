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
    secrets: pass === null ? [] : [pass, Buffer.from(pass).toString('base64')],
    send: async (signal) => {
      const transport = createTransport({
        host,
        port,
        secure: security === 'tls',
        requireTLS: security === 'starttls',
        ignoreTLS: security === 'none',
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
        ...(user === undefined || pass === null ? {} : { auth: { user, pass } }),
        ...(secureContext === undefined ? {} : { tls: { secureContext } }),
      });
      const close = (): void => transport.close();
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
