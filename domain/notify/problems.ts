import type { Problem } from '../issue/problem.ts';
import type { Notify, Sink, SinkOf } from './sink.ts';
import { secretPlace } from './secret.ts';

type Path = Problem['path'];

/** Problems of sinks that fit the schema; empty if there are none. No message shows a value that may be a secret. */
export const notifyProblems = ({ sinks }: Notify): Problem[] =>
  sinks.flatMap((sink, index) => [...namedTwice(sinks, index), ...problemsOf(sink, ['sinks', index])]);

function namedTwice(sinks: readonly Sink[], index: number): Problem[] {
  const name = sinks[index]?.name ?? '';
  const first = sinks.findIndex((sink) => sink.name === name);
  if (first === index) return [];
  const got = `${name}, which sinks[${first}] has, too`;
  return [{ path: ['sinks', index, 'name'], expected: 'each name once', got, todo: 'rename one' }];
}

function problemsOf(sink: Sink, path: Path): Problem[] {
  switch (sink.type) {
    case 'webhook':
      return [...urlProblems(sink.url, [...path, 'url']), ...secretProblems(sink.key, [...path, 'key'])];
    case 'slack':
    case 'discord':
      return secretProblems(sink.url, [...path, 'url']);
    case 'email':
      return emailProblems(sink, path);
    case 'command':
    case 'file':
      return [];
  }
}

function secretProblems(text: string, path: Path): Problem[] {
  if (secretPlace(text) !== null) return [];
  return [
    {
      path,
      expected: 'the place of a secret: $NAME or file:/path',
      got: 'another text, which is not shown, since it may be the secret',
      todo: 'put the secret into a variable of the worker, or into a file that only its owner may read',
    },
  ];
}

function urlProblems(text: string, path: Path): Problem[] {
  if (secretPlace(text) !== null) return [];
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return [
      {
        path,
        expected: 'a URL that begins with https:// or http://, or its place: $NAME or file:/path',
        got: 'another text',
        todo: '',
      },
    ];
  if (url.username === '' && url.password === '') return [];
  return [
    {
      path,
      expected: 'a URL without user and password',
      got: 'one with them, which is not shown',
      todo: 'put the URL into a variable of the worker ($NAME), or into a file (file:/path)',
    },
  ];
}

function emailProblems({ user, password, security, host }: SinkOf<'email'>, path: Path): Problem[] {
  const problems = password === undefined ? [] : secretProblems(password, [...path, 'password']);
  if ((user === undefined) !== (password === undefined))
    problems.push({
      path: [...path, user === undefined ? 'user' : 'password'],
      expected: 'user and password, or neither',
      got: 'nothing',
      todo: user === undefined ? 'add the user, or remove the password' : 'add the password, or remove the user',
    });
  if (password !== undefined && security === 'none' && !['localhost', '127.0.0.1', '::1'].includes(host))
    problems.push({
      path: [...path, 'security'],
      expected: 'starttls or tls, since the password would be readable on its way',
      got: 'none',
      todo: '',
    });
  return problems;
}
