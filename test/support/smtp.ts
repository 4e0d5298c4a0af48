import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A mail as an SMTP server receives it. */
interface Mail {
  login: string | null;
  from: string;
  to: string[];
  data: string;
}

export interface Smtp {
  port: number;
  mails: Mail[];
  close: () => Promise<void>;
}

/** Starts an SMTP server without TLS, which keeps what it receives. */
export async function openSmtp({ refuseLogin = false } = {}): Promise<Smtp> {
  const mails: Mail[] = [];
  const server = createServer((socket) => converse(socket, { mails, refuseLogin }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function converse(socket: Socket, { mails, refuseLogin }: { mails: Mail[]; refuseLogin: boolean }): void {
  let mail: Mail = { login: null, from: '', to: [], data: '' };
  let buffer = '';
  let inData = false;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? '';
  const answer = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO') say('250-test\r\n250 AUTH PLAIN');
    else if (verb === 'AUTH') {
      mail.login = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString('utf8');
      say(refuseLogin ? `535 no login with ${mail.login.split('\0')[2]}` : '235 welcome');
    } else if (verb === 'MAIL') {
      mail.from = addressIn(line);
      say('250 ok');
    } else if (verb === 'RCPT') {
      mail.to.push(addressIn(line));
      say('250 ok');
    } else if (verb === 'DATA') {
      inData = true;
      say('354 go on');
    } else if (verb === 'QUIT') {
      say('221 bye');
      socket.end();
    } else say('500 unknown');
  };
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    buffer += chunk.toString('latin1');
    for (;;) {
      const end = inData ? buffer.indexOf('\r\n.\r\n') : buffer.indexOf('\r\n');
      if (end < 0) return;
      const text = buffer.slice(0, end);
      buffer = buffer.slice(end + (inData ? 5 : 2));
      if (!inData) answer(text);
      else {
        mails.push({ ...mail, data: text });
        mail = { ...mail, to: [], data: '' };
        inData = false;
        say('250 queued');
      }
    }
  });
  say('220 test');
}
