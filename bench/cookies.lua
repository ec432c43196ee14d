-- For wrk: asks as one person after the other. The file has a Cookie header's value in each line.
local requests, at = {}, 0

function init(args)
  for cookie in io.lines(args[1]) do
    wrk.headers["Cookie"] = cookie
    requests[#requests + 1] = wrk.format()
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
