import { attach, dropFiles, paste, typeWhileSending } from './files.ts'
import { actOnMessage, openPicture, scroll } from './messages.ts'
import { changeLook, goBack, openAddress, openRoom, reload, resize, signOut, useTabs } from './move.ts'
import { othersAct } from './others.ts'
import { search, searchHidden, useSwitcher } from './panels.ts'
import { fill, press } from './press.ts'
import { pressShortcut, type Shortcut } from './shortcuts.ts'
import type { Step } from './step.ts'
import { talk, useVoice } from './voice.ts'
import { clear, editLast, typeAnywhere, write, writeCommand } from './write.ts'

export function allSteps(shortcuts: readonly Shortcut[]): readonly Step[] {
  return [
    press,
    fill,
    pressShortcut(shortcuts),
    write,
    writeCommand,
    clear,
    editLast,
    typeAnywhere,
    attach,
    dropFiles,
    paste,
    typeWhileSending,
    actOnMessage,
    scroll,
    openPicture,
    openRoom,
    openAddress,
    goBack,
    reload,
    useTabs,
    resize,
    changeLook,
    signOut,
    search,
    searchHidden,
    useSwitcher,
    talk,
    useVoice,
    othersAct,
  ]
}
