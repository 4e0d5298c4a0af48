/**
 * Runs a campaign of random kills and network cuts over a fleet of eight slots on two hosts:
 * node dist/bench/chaos.js [strikes] [seconds between] [seed]
 */
import { chaos } from './support/chaos.ts';
import { printTable } from './support/table.ts';

const [strikes, everySeconds, seed] = [300, 2, 1].map((usual, i) => Number(process.argv[2 + i] ?? usual)) as [
  number,
  number,
  number,
];
const result = await chaos({ strikes, everySeconds, seed, onStrike: (text) => process.stderr.write(`${text}\n`) });
printTable(
  `${strikes} strikes at a fleet of eight slots`,
  ['what', 'count'],
  [
    ...Object.entries(result.strikes).map(([name, times]) => [`strikes: ${name}`, String(times)]),
    ['trials', String(result.trials)],
    ['placed once more', String(result.placedAgain)],
    ['struck twice, ended as machine-lost', String(result.machineLost)],
    ['lost', String(result.lost)],
    ['doubled', String(result.doubled)],
    ['misattributed', String(result.misattributed.length)],
    ['model calls repeated', String(result.modelCallsRepeated)],
    ['slots lost', String(result.slotsLost)],
    ['processes left', String(result.processesLeft.length)],
    ['slot seconds', result.slotSeconds.toFixed(0)],
    ['slot seconds of runs that came to nothing', result.wastedSeconds.toFixed(0)],
  ],
);
for (const trial of result.misattributed) process.stdout.write(`misattributed: ${JSON.stringify(trial)}\n`);
for (const line of result.processesLeft) process.stdout.write(`left: ${line}\n`);
