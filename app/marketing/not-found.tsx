import { data } from "react-router";
import { NotFound } from "./not-found-notice.tsx";

/** A route of its own, so that the page around it is whole. */
export function loader() {
  return data(null, { status: 404 });
}

export function action() {
  return data(null, { status: 404 });
}

export default NotFound;
