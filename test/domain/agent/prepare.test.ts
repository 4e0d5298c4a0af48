import { expect, test } from 'vitest';
import { prepareAgent } from '../../../domain/agent/prepare.ts';

const place = {
  home: '/agent/home',
  prompt: '/agent/prompt',
  model: 'a "b" $PERPETUA_GATEWAY\\c',
  gateway: 'http://127.0.0.1:8080',
  agent: '/cache/pi',
  session: '11111111-2222-4333-8444-555555555555',
};

test('the environment has the variables of the recipe and those of Perpetua, and nothing else', () => {
  expect(prepareAgent({ env: { KEY: 'none' }, files: {} }, place).env).toEqual({
    KEY: 'none',
    HOME: '/agent/home',
    PERPETUA_AGENT: '/cache/pi',
    PERPETUA_AGENT_HOME: '/agent/home',
    PERPETUA_GATEWAY: 'http://127.0.0.1:8080',
    PERPETUA_MODEL: place.model,
    PERPETUA_PROMPT: '/agent/prompt',
    PERPETUA_SESSION: place.session,
  });
});

test("an agent of the user's own has no folder of an installation", () => {
  expect(prepareAgent({ env: {}, files: {} }, { ...place, agent: null }).env).not.toHaveProperty('PERPETUA_AGENT');
});

test('values in files are replaced once, and escaped as in a string with double quotes', () => {
  const text = '{ "model": "$PERPETUA_MODEL", "url": "$PERPETUA_GATEWAY/v1", "other": "$PERPETUA_SESSION" }';
  const [file] = prepareAgent({ env: {}, files: { 'a/b.json': text } }, place).files;
  expect(file?.path).toBe('a/b.json');
  expect(JSON.parse(file?.text ?? '')).toEqual({
    model: place.model,
    url: 'http://127.0.0.1:8080/v1',
    other: '$PERPETUA_SESSION',
  });
});
