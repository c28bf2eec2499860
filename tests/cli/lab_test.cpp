// `catena lab`: who is answered, and with what.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "cli/program.h"

namespace catena::testing {
namespace {

class LabServer : public Workplace {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::filesystem::path(CATENA_BINARY).parent_path() /
                                 "../web/page/index.html")) {
      GTEST_SKIP() << "the page is not built";
    }
    child_ = start({"lab", "double-pendulum", "--no-open"});
    ASSERT_TRUE(eventually([&] { return read("../out").find('\n') != std::string::npos; }));
    const std::string address = read("../out");
    port_ = std::stoi(address.substr(address.find(":", 7) + 1));
  }
  void TearDown() override {
    if (child_ == 0) return;
    ::kill(child_, SIGINT);
    EXPECT_EQ(wait_for(child_).status, 0);
  }

  std::string ask(const std::string& request) const {
    const int peer = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string reply;
    if (::connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
      ::send(peer, request.data(), request.size(), MSG_NOSIGNAL);
      char room[4096];
      for (ssize_t count = 0; (count = ::recv(peer, room, sizeof room, 0)) > 0;) {
        reply.append(room, static_cast<std::size_t>(count));
      }
    }
    ::close(peer);
    return reply;
  }
  std::string get(const std::string& path, const std::string& host = "") const {
    return ask("GET " + path + " HTTP/1.1\r\nHost: " +
               (host.empty() ? "127.0.0.1:" + std::to_string(port_) : host) + "\r\n\r\n");
  }
  static std::string status(const std::string& reply) { return reply.substr(0, reply.find("\r\n")); }

  pid_t child_ = 0;
  int port_ = 0;
};

TEST_F(LabServer, ServesThePageAndTheScene) {
  EXPECT_EQ(status(get("/")), "HTTP/1.1 200 OK");
  EXPECT_EQ(status(get("/", "localhost:" + std::to_string(port_))), "HTTP/1.1 200 OK");
  EXPECT_NE(get("/catena.wasm").find("application/wasm"), std::string::npos);
  EXPECT_NE(get("/double-pendulum.json").find("\"90 deg\""), std::string::npos);
  EXPECT_NE(get("/").find("Content-Security-Policy: default-src 'none'"), std::string::npos);
}

TEST_F(LabServer, RefusesForeignHosts) {
  for (const char* host : {"example.org", "127.0.0.1", "evil.test:80", "127.0.0.1.evil.test:80"}) {
    EXPECT_EQ(status(get("/", host)), "HTTP/1.1 421 Misdirected Request") << host;
  }
  EXPECT_EQ(status(ask("GET / HTTP/1.1\r\n\r\n")), "HTTP/1.1 421 Misdirected Request");
  const std::string twice = "127.0.0.1:" + std::to_string(port_) + "\r\nHost: evil.test";
  EXPECT_EQ(status(get("/", twice)), "HTTP/1.1 421 Misdirected Request");
}

TEST_F(LabServer, ServesItsOwnFilesOnly) {
  for (const char* path :
       {"/../lab.html", "/etc/passwd", "//etc/passwd", "/%2e%2e/lab.html", "/.", "/scene.toml"}) {
    EXPECT_EQ(status(get(path)), "HTTP/1.1 404 Not Found") << path;
  }
  EXPECT_EQ(status(ask("nonsense\r\n\r\n")), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(status(ask("POST / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n\r\n")),
            "HTTP/1.1 405 Method Not Allowed");
}

using LabCommand = Workplace;

TEST_F(LabCommand, RefusesBadScenesBeforeServing) {
  write("bad.toml", "simulation = { duration = -1 }");
  const Result result = catena({"lab", "bad.toml", "--no-open"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("bad.toml:1:"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace catena::testing
