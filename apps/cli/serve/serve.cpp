#include "serve/serve.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "terminal/interrupt.h"

namespace catena::cli {
namespace {

constexpr int kMostConnections = 32;
constexpr std::size_t kLongestHead = 16 * 1024;

// Closes what it holds.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::runtime_error failure(const std::string& what) {
  return std::runtime_error(what + ": " + std::generic_category().message(errno));
}

std::pair<Socket, int> listen_on(int port) {
  Socket listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (listener.get() < 0) throw failure("cannot open a socket");
  const int yes = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);  // nobody else on the network can connect
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.get(), generic, size) != 0 || ::listen(listener.get(), 64) != 0) {
    throw failure(fmt::format("cannot listen on port {}; --port 0 takes any free one", port));
  }
  ::getsockname(listener.get(), generic, &size);
  return {std::move(listener), ntohs(address.sin_port)};
}

void converse(const Site& site, const Socket& peer) {
  const timeval patience{10, 0};
  ::setsockopt(peer.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(peer.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  std::string request;
  char room[2048];
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < kLongestHead) {
    const ssize_t count = ::recv(peer.get(), room, sizeof room, 0);
    if (count <= 0) return;
    request.append(room, static_cast<std::size_t>(count));
  }
  const std::string reply = answer(site, request.substr(0, request.find("\r\n\r\n") + 2));
  for (std::size_t sent = 0; sent < reply.size();) {
    const ssize_t count = ::send(peer.get(), reply.data() + sent, reply.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

}  // namespace

void serve(Site given, int wished_port, const std::function<void(int port)>& ready) {
  auto [listener, port] = listen_on(wished_port);
  given.port = port;
  const auto site = std::make_shared<const Site>(std::move(given));
  const auto open = std::make_shared<std::atomic<int>>(0);
  watch_interrupts();
  ready(port);
  while (!interrupted()) {
    pollfd waiting{listener.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 200) <= 0) continue;
    Socket peer(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (peer.get() < 0 || *open >= kMostConnections) continue;
    // Browsers open connections that they use later or never: each waits by itself.
    ++*open;
    std::thread([site, open, peer = std::move(peer)] {
      converse(*site, peer);
      --*open;
    }).detach();
  }
}

}  // namespace catena::cli
