/** What the knobs of lr-knob are worth, as the table of its README: npx tsx bench/lr-knob.ts */
import { tableLines } from './lr-knob/calibration.ts';

for (const line of tableLines()) process.stdout.write(`${line}\n`);
