// `reeve doctor`, the part of root: it starts nothing and changes nothing, and needs no process of the panel.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { certificateChecks } from './certificates.ts'
import { type Check, type Examined, examineAll, note, ok } from './check.ts'
import { machineChecks } from './machine.ts'
import { networkChecks } from './network.ts'
import { type Patient, readPatient } from './patient.ts'
import { serviceChecks } from './services.ts'
import { stateChecks } from './state.ts'

export function examineServer(env: NodeJS.ProcessEnv): Promise<Examined[]> {
  const patient = readPatient(env)
  return examineAll([
    ...serviceChecks(patient),
    ...networkChecks(patient),
    ...certificateChecks(patient),
    ...stateChecks(patient),
    ...machineChecks(patient),
    setup(patient),
  ])
}

function setup({ paths }: Patient): Check {
  return {
    name: 'setup',
    why: 'Whoever has the token can make the first account.',
    examine: () =>
      existsSync(join(paths.apiState, 'setup-token'))
        ? note('nobody has made the first account yet', 'reeve setup-token, and open the panel with it')
        : ok('the setup is complete'),
  }
}
