import { expect, it } from 'vitest';
import { styleFor } from '../../../../cli/render/text/style.ts';
import { widthOf } from '../../../../cli/render/text/text.ts';
import { renderFrame } from '../../../../cli/up/view/frame.ts';
import { ended, options, snapshot } from '../../support/snapshot.ts';

const wordy = () => {
  const one = snapshot([ended(5)]);
  const lead = {
    trialId: 'toy/41',
    candidateId: 'l',
    value: 1.161,
    n: 1,
    trusted: true,
    waitsFor: 'the race of #40',
  };
  Object.assign(one.status, { lead, alerts: [], warnings: [] });
  return one;
};
const psql = `psql "$(node -p 'require("./.perpetua/up.json").postgres.url')"`;

it.each([70, 80, 100])(
  'says on %i columns what the lead waits for, how to steer and how to get into Postgres',
  (columns) => {
    const addresses = { ...options.addresses, postgres: psql };
    const lines = renderFrame(wordy(), { ...options, columns, rows: 40, addresses });
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(lines.filter((line) => line.endsWith('…') && !line.startsWith('  #'))).toEqual([]);
    const text = lines.map((line) => line.slice(10)).join(' ');
    for (const part of [
      'best run of a proposal 1.20 (#9), not confirmed by itself',
      'its race waits for the race of #40',
      'best toy --out DIR',
    ])
      expect(text.replace(/\s+/g, ' ')).toContain(part);
    const from = lines.findIndex((line) => line.startsWith('postgres'));
    const command = lines
      .slice(
        from,
        lines.findIndex((line) => line.startsWith('steer')),
      )
      .map((line) => line.slice(10));
    expect(command.join('').replace(/ \\/, ' ')).toBe(psql);
  },
);

it('keeps whole commands on a low terminal, and leaves lines for what is under way', () => {
  const addresses = { ...options.addresses, postgres: psql };
  const lines = renderFrame(wordy(), { ...options, columns: 70, rows: 22, addresses });
  expect(lines).toContain('steer     npx perpetua pause | resume | stop | note | best toy');
  expect(lines).toContain(`postgres  psql "$(node -p \\`);
  expect(lines.some((line) => line.startsWith('under way'))).toBe(true);
});

it('keeps its title bold', () => {
  const [title] = renderFrame(wordy(), { ...options, style: styleFor(true) });
  expect(title).toMatch(/^\x1b\[1mperpetua/);
});

it('tells on 80 columns and 28 rows the whole reason of the phase, an alert and the newest verdict', () => {
  const words = (what: string) => Array.from({ length: 14 }, (_, n) => `${what}${n}`).join(' ');
  const one = snapshot([ended(5, { reason: words('reason') })]);
  Object.assign(one.status, {
    reason: words('down'),
    alerts: [{ at: '2026-11-01T12:00:00Z', message: words('alert') }],
  });
  Object.assign(one, { warnings: [] });
  const lines = renderFrame(one, { ...options, columns: 80, rows: 28 });
  expect(lines.length).toBeLessThan(28);
  const text = lines.join(' ').replace(/\s+/g, ' ');
  for (const what of ['down', 'alert', 'reason']) expect(text).toContain(words(what));
});
