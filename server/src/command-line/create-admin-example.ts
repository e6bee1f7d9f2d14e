import { COMMAND } from '../config/command.ts'

export const EXAMPLE = `For example: ${COMMAND} create-admin "Ada Novak"`
