import { iceServers, type TurnOptions } from '../ice/ice-servers.ts'

/** Link headers that name the TURN servers (RFC 9725), for programs in networks that let no other media through. */
export function iceServerLinks(turn: TurnOptions): string[] {
  return iceServers(turn).flatMap(({ urls, username, credential }) =>
    urls.map(
      (url) =>
        `<${url}>; rel="ice-server"; username="${username}"; credential="${credential}"; credential-type="password"`,
    ),
  )
}
