import { runSubjects } from '../support/e2e/run-subjects.ts';
import { artefactCodeTests } from './shared/artefact-code.ts';
import { evaluatorModelTests, openGrader } from './shared/evaluator-model.ts';
import { exactClaimsTests } from './shared/exact-claims.ts';
import { knobsTests } from './shared/knobs.ts';
import { loopTests } from './shared/loop.ts';
import { presetsTests } from './shared/presets.ts';
import { replayTests } from './shared/replay.ts';
import { seedsTests } from './shared/seeds.ts';
import { holdTests } from './shared/hold.ts';
import { unknownMethodTests } from './shared/unknown-method.ts';

// Subjects are what a research does by itself. What people do is in shared-commands.test.ts.
runSubjects(
  {
    knobs: knobsTests,
    seeds: seedsTests,
    loop: loopTests,
    'unknown-method': unknownMethodTests,
    'artefact-code': artefactCodeTests,
    'evaluator-model': evaluatorModelTests,
    'exact-claims': exactClaimsTests,
    presets: presetsTests,
    hold: holdTests,
    // Last, since it replays the histories of all others.
    replay: replayTests,
  },
  openGrader,
);
